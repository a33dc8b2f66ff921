-- No query of this release or the one before reads it, and every asset that is read writes it.
drop index asset_features_signals;
