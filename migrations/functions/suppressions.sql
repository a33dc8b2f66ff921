create or replace trigger suppressions_transition after update on suppressions
  for each row when (old.status is distinct from new.status)
  execute function refuse_transition('status', 'active>expired active>revoked proposed>active proposed>expired proposed>rejected proposed>revoked');
