-- Labels that other organizations gave to an asset, as [{ tenantId, labelGuid }]. Null if nobody has looked for them since
-- the releases that took the first label for ours: such a label is read again. Additive.
alter table assets add column foreign_labels jsonb;
