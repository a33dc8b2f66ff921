-- One request drafts one action, however often it is made: a double click, or a client that lost the answer. The client
-- names the request by a key of its own.
alter table actions add column idempotency_key text
  constraint actions_idempotency_key check (length(idempotency_key) between 1 and 128);
create unique index actions_asked_once on actions (tenant_id, requested_by, idempotency_key)
  where idempotency_key is not null;
grant insert (idempotency_key) on actions to svc_app;
