-- An answer names the content that it was given on, so that it is asked again when the content is another. All additive: the
-- release before writes none of the new columns, and what they hold is told from the versions of the asset then.

alter table decisions
  -- The source's version of the content, the bytes (SHA-256) and the key of the features, as they were looked at last.
  add column content_version text,
  add column content_hash bytea,
  add column evidence_key text,
  -- { "assetName", "signals", "types": [{ "informationTypeId", "confidence" }] }: what the owner could see, and the types that
  -- the model suggested.
  add column evidence jsonb,
  -- The MinHash signature of the text.
  add column shingles bytea;
-- The excerpts that the owner could see: redacted, and kept apart since a change of the data-handling profile removes them.
create table decision_excerpts (
  tenant_id text not null,
  decision_id text not null,
  excerpts jsonb not null,
  primary key (tenant_id, decision_id),
  foreign key (tenant_id, decision_id) references decisions
);
call protect_tenant_table('decision_excerpts');
grant select, insert, delete on decision_excerpts to svc_app;
-- The answers of a domain and of a person, the newest first.
create index decisions_recent on decisions (tenant_id, created_at desc, decision_id desc);
create index decisions_by_principal on decisions (tenant_id, principal_id, created_at desc, decision_id desc);

alter table candidates
  -- Why it waits, or waited last.
  add column asked_because text not null default 'inferred' constraint candidates_asked_because check (asked_because in (
    'inferred', 'routed', 'corrected', 'returned', 'put_off', 'correction_revised', 'content_changed')),
  -- The answer that it had before it was asked again, and what has changed since: [{ "kind", … }].
  add column earlier_decision_id text,
  add column changes jsonb not null default '[]',
  -- What the newest inference goes by, in short: for a sentence about it.
  add column basis jsonb;
alter table candidates add constraint candidates_earlier_decision
  foreign key (tenant_id, earlier_decision_id) references decisions not valid;
alter table candidates validate constraint candidates_earlier_decision;
-- What people have asked or said before, as far as it can be told. The owner of the tables is bound by their policies.
alter table candidates no force row level security;
alter table decisions no force row level security;
update candidates set asked_because = case when information_type_id is null then 'routed' else 'corrected' end
 where band = 'routed';
-- An answer that was refused where it sent the asset.
update candidates k set asked_because = 'returned', earlier_decision_id = d.decision_id
  from decisions d
  join candidates there
    on there.tenant_id = d.tenant_id and there.asset_id = d.asset_id and there.domain_id = d.routed_domain_id
   and there.information_type_id is null and there.status = 'rejected'
 where d.tenant_id = k.tenant_id and d.candidate_id = k.candidate_id and k.status = 'pending'
   and not exists (select from decisions later
                    where later.tenant_id = d.tenant_id and later.candidate_id = d.candidate_id
                      and later.revision > d.revision);
alter table decisions force row level security;
alter table candidates force row level security;
-- Questions that a colleague sent and that wait: few, and looked through by a timer.
create index candidates_sent on candidates (tenant_id, domain_id, updated_at)
  where status = 'pending' and information_type_id is null and asset_active;
-- The questions that an answer closed.
create index candidates_decision on candidates (tenant_id, decision_id) where decision_id is not null;

-- When the content changed last, as the source tells it. Its other time moves with every write, that of a label too. Null: never
-- since this column is there, so that the other one is the best that is known.
alter table assets add column content_modified_at timestamptz;

alter table findings drop constraint findings_kind;
alter table findings add constraint findings_kind
  check (kind in ('exposure', 'label', 'location', 'unmanaged_copy', 'stale_access', 'no_owner')) not valid;
alter table findings validate constraint findings_kind;
-- The answer that acknowledges a finding, where no person did so apart.
alter table findings add column acknowledged_decision_id text;
alter table findings add constraint findings_acknowledged_decision
  foreign key (tenant_id, acknowledged_decision_id) references decisions not valid;
alter table findings validate constraint findings_acknowledged_decision;
alter table findings add constraint findings_acknowledged_by_decision
  check (acknowledged_decision_id is null or acknowledged_at is not null) not valid;
alter table findings validate constraint findings_acknowledged_by_decision;

-- As before, and the answer with it.
create or replace function end_acknowledgement() returns trigger language plpgsql set search_path = pg_catalog, public as $$
begin
  if new.status = 'open' then
    new.status := old.status;
    return new;
  end if;
  new.acknowledged_by := null;
  new.acknowledged_at := null;
  new.acknowledge_note := null;
  new.acknowledged_decision_id := null;
  return new;
end
$$;
-- Few, and looked through by the timer that finds out which of them no longer hold.
create index findings_no_owner on findings (tenant_id, asset_id) where kind = 'no_owner' and status <> 'resolved';
