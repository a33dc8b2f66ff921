-- Second opinions that the AI provider was asked for in a scan. Additive.
alter table campaigns add column second_opinions integer not null default 0
  constraint campaigns_second_opinions check (second_opinions >= 0);
grant update (second_opinions) on campaigns to svc_app;
