-- The decision by which a candidate has its status: one of its own, or a correction to its type that was made on
-- another candidate of the asset. Null where none did: it waits, or it was withdrawn.
alter table candidates add column decision_id text;
alter table candidates add constraint candidates_decision foreign key (tenant_id, decision_id) references decisions;
-- Who named a type for an asset.
create index decisions_corrected on decisions (tenant_id, asset_id, corrected_information_type_id)
  where corrected_information_type_id is not null;
