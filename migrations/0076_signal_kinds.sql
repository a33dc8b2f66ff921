-- The assets in which a detector has found something, in the order in which a rescore goes through them. The index alone
-- tells them, so no step reads the features of assets without a find.
create index asset_features_found on asset_features (tenant_id, asset_id) include (signal_kinds) where signal_kinds <> '{}';
