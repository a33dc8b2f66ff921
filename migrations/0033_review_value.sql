-- The queue in the order of what an answer is worth, kept as it changes, so that no read counts copies.

-- Whoever works meanwhile waits for all of it, rather than hold what a later step needs.
lock table assets, candidates, asset_sketches in access exclusive mode;

-- What each part adds to the value of an answer; nobody else weighs them. A question that a colleague sent comes before
-- all that the model asks: the most that the model's can have is 700.
create function band_points(p_band text, p_confidence double precision) returns integer language sql immutable
return case p_band when 'routed' then 1000
            else case p_band when 'high' then 100 else 0 end + round(100 * coalesce(p_confidence, 0))::integer end;
create function risk_points(p_severity text) returns integer language sql immutable
return case p_severity when 'critical' then 300 when 'high' then 200 when 'medium' then 100 when 'low' then 50 else 0 end;
-- The first related assets say the most: 1 is worth 26, 10 are worth 90, 200 are worth 200.
create function related_points(p_count integer) returns integer language sql immutable
return round(200 * ln(1::double precision + p_count) / ln(201::double precision))::integer;

alter table candidates
  -- Of the asset, kept by triggers.
  add column asset_active boolean not null default true,
  add column risk_severity text,
  -- Of the assets that an answer has scored again, those about which the same domain is asked. Kept by a sweep.
  add column related_count smallint not null default 0
    constraint candidates_related check (related_count between 0 and 200);
alter table candidates no force row level security;
alter table assets no force row level security;
update candidates k set asset_active = a.status = 'active', risk_severity = a.risk_severity
  from assets a where a.tenant_id = k.tenant_id and a.asset_id = k.asset_id
   and (a.status <> 'active' or a.risk_severity is not null);
alter table candidates add column value integer not null generated always as (
  band_points(band, confidence) + risk_points(risk_severity) + related_points(related_count)) stored;
create index candidates_value on candidates (tenant_id, domain_id, value desc, candidate_id)
  where status = 'pending' and asset_active;
drop index candidates_queue;

-- Assets whose likeness to others, or questions about which, have changed, so that the sweep counts anew. One row for
-- each change and nothing unique, so that no writer waits for another one.
create table review_changes (
  tenant_id text not null,
  change_id bigint generated always as identity,
  asset_id text not null,
  -- By what it was like others before, where that has changed.
  content_hash bytea,
  bands integer[],
  primary key (tenant_id, change_id)
);
insert into review_changes (tenant_id, asset_id)
select distinct tenant_id, asset_id from candidates where status in ('pending', 'deferred') and asset_active;
alter table candidates force row level security;
alter table assets force row level security;

call protect_tenant_table('review_changes');
grant select, insert, delete on review_changes to svc_app;

create or replace function set_candidate_scope() returns trigger
language plpgsql set search_path = pg_catalog, public as $$
begin
  select a.scope_id, a.status = 'active', a.risk_severity into new.scope_id, new.asset_active, new.risk_severity
    from public.assets a where a.tenant_id = new.tenant_id and a.asset_id = new.asset_id;
  return new;
end
$$;

-- An asset is locked before its candidates by whoever writes either.
create function follow_asset() returns trigger language plpgsql set search_path = pg_catalog, public as $$
begin
  update public.candidates
     set asset_active = new.status = 'active', risk_severity = new.risk_severity
   where tenant_id = new.tenant_id and asset_id = new.asset_id
     and (asset_active, risk_severity) is distinct from (new.status = 'active', new.risk_severity);
  if (new.status, new.content_hash) is distinct from (old.status, old.content_hash) then
    insert into public.review_changes (tenant_id, asset_id, content_hash)
    select k.tenant_id, k.asset_id, old.content_hash from public.candidates k
     where k.tenant_id = new.tenant_id and k.asset_id = new.asset_id and k.status in ('pending', 'deferred') limit 1;
  end if;
  return null;
end
$$;
create trigger assets_followed after update of status, risk_severity, content_hash on assets
  for each row when ((old.status, old.risk_severity, old.content_hash)
                     is distinct from (new.status, new.risk_severity, new.content_hash))
  execute function follow_asset();

create function note_sketches() returns trigger language plpgsql set search_path = pg_catalog, public as $$
begin
  insert into public.review_changes (tenant_id, asset_id, bands)
  select k.tenant_id, k.asset_id, old.bands from public.candidates k
   where k.tenant_id = new.tenant_id and k.asset_id = new.asset_id and k.status in ('pending', 'deferred') limit 1;
  return null;
end
$$;
create trigger asset_sketches_noted after update of bands on asset_sketches
  for each row when (old.bands is distinct from new.bands) execute function note_sketches();

create function note_candidates() returns trigger language plpgsql set search_path = pg_catalog, public as $$
begin
  if tg_op = 'INSERT' then
    insert into public.review_changes (tenant_id, asset_id)
    select distinct tenant_id, asset_id from became where status in ('pending', 'deferred');
  else
    insert into public.review_changes (tenant_id, asset_id)
    select distinct b.tenant_id, b.asset_id from became b join was w using (tenant_id, candidate_id)
     where (b.status in ('pending', 'deferred')) <> (w.status in ('pending', 'deferred'));
  end if;
  return null;
end
$$;
create trigger candidates_noted_insert after insert on candidates
  referencing new table as became for each statement execute function note_candidates();
create trigger candidates_noted_update after update on candidates
  referencing old table as was new table as became for each statement execute function note_candidates();
