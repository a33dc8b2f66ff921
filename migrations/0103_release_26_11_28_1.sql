-- The source family that a label of the catalog is of. Null: listed by an earlier release, and so of any.
alter table sensitivity_labels add column family text;
