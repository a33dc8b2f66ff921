-- A snapshot is stored with all its items by one statement, so nothing can be added to it later.
create or replace function refuse_incomplete_snapshot()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
begin
  if exists (
    select from public.dataset_snapshots s
     where (s.tenant_id, s.snapshot_id) in (select a.tenant_id, a.snapshot_id from added a)
       and s.training_positives + s.training_counterexamples + s.held_out_positives + s.held_out_counterexamples
           <> (select count(*) from public.dataset_snapshot_items i
                where i.tenant_id = s.tenant_id and i.snapshot_id = s.snapshot_id)) then
    raise exception 'the items of a snapshot are fixed' using errcode = 'restrict_violation';
  end if;
  return null;
end
$$;

create or replace trigger dataset_snapshot_items_complete after insert on dataset_snapshot_items
  referencing new table as added for each statement execute function refuse_incomplete_snapshot();
