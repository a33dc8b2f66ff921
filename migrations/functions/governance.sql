-- An ended assignment is history: a person who takes a domain again gets a new assignment.
create or replace function keep_ended_assignment()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog'
as $$
begin
  raise exception 'an ended assignment does not change' using errcode = 'restrict_violation';
end
$$;

create or replace trigger owner_assignments_ended before update of attested_at, ended_at, overdue_noted_at, attestation_days on owner_assignments
  for each row when (old.ended_at is not null)
  execute function keep_ended_assignment();
