-- Units of a listing that are dead: with one of them, a scan has ended without a part of its scope. Additive.
alter table campaigns add column listing_units_dead integer not null default 0;
grant update (listing_units_dead) on campaigns to svc_engine, svc_app;
