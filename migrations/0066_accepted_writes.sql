-- Writes that a source accepts and carries out after its answer.
alter table actions
  -- When the source accepted the write that it still carries out.
  add column accepted_at timestamptz,
  -- The address that tells how that write goes. Whoever has it can ask, so it goes as soon as the write has ended.
  add column monitor text,
  add constraint actions_accepted check (accepted_at is null or status = 'executing'),
  add constraint actions_monitor check (
    monitor is null or (accepted_at is not null and char_length(monitor) <= 16384));
grant update (accepted_at, monitor) on actions to svc_app;
