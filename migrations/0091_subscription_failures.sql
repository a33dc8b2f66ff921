-- Subscriptions that are registered again. Additive.

-- Registrations that failed since the last one that did not.
alter table change_subscriptions add column failures integer not null default 0
  constraint change_subscriptions_failures check (failures >= 0);
grant update (failures) on change_subscriptions to svc_app;
