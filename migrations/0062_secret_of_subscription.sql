-- A subscription knows which session secret its client state is of, so that a renewal registers it anew after a rotation.
-- Null: registered before this migration, or by the release before.
alter table change_subscriptions
  add column secret_id text constraint change_subscriptions_secret check (secret_id ~ '^[0-9a-f]{8}$');
grant update (secret_id) on change_subscriptions to svc_app;
