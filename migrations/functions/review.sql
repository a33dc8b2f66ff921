create or replace function set_candidate_scope()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
begin
  select a.scope_id, a.status = 'active', a.risk_severity into new.scope_id, new.asset_active, new.risk_severity
    from public.assets a where a.tenant_id = new.tenant_id and a.asset_id = new.asset_id;
  return new;
end
$$;

create or replace trigger candidates_scope before insert on candidates
  for each row execute function set_candidate_scope();

-- Copies status and severity of an asset to its candidates. Every writer locks an asset before its candidates.
create or replace function follow_asset()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
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

create or replace trigger assets_followed after update of status, risk_severity, content_hash on assets
  for each row when ((old.status, old.risk_severity, old.content_hash)
                     is distinct from (new.status, new.risk_severity, new.content_hash))
  execute function follow_asset();

create or replace function note_candidates()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
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

create or replace trigger candidates_noted_insert after insert on candidates referencing new table as became
  for each statement execute function note_candidates();
create or replace trigger candidates_noted_update after update on candidates referencing old table as was new table as became
  for each statement execute function note_candidates();

create or replace function note_sketches()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
begin
  insert into public.review_changes (tenant_id, asset_id, bands)
  select k.tenant_id, k.asset_id, old.bands from public.candidates k
   where k.tenant_id = new.tenant_id and k.asset_id = new.asset_id and k.status in ('pending', 'deferred') limit 1;
  return null;
end
$$;

create or replace trigger asset_sketches_noted after update of bands on asset_sketches
  for each row when (old.bands is distinct from new.bands)
  execute function note_sketches();

-- The revision of a question: what an owner names who has read it. It rises with each change of what an answer to it would
-- state, of any candidate of the asset in the domain: one joins, leaves or is answered, its band changes, or its content is
-- read again. A writer who changes candidates gives them the revision after this one, so that candidates that change
-- together have the same. Changed words of a domain or type count without a row of each candidate. Null: nothing was asked.
-- A set, so that the planner puts it into the query: a call would cost lists as much as the rest. Candidates are looked up
-- by their asset, also without statistics.
create or replace function question_revision(p_tenant text, p_asset text, p_domain text)
 returns table (revision integer)
 language sql
 stable
as $$
  select max(k.revision)
         + sum(d.words_revision + coalesce(t.words_revision, 0) - coalesce(k.words_revision, 0))::integer
    from (select * from public.candidates where tenant_id = p_tenant and asset_id = p_asset offset 0) k
    cross join lateral (
      select * from public.domains where tenant_id = p_tenant and domain_id = p_domain offset 0) d
    left join lateral (
      select * from public.information_types
       where tenant_id = p_tenant and information_type_id = k.information_type_id offset 0) t on true
   where k.domain_id = p_domain
$$;

-- Notes with each revision of a candidate which words it covers, and whether its standing changed.
create or replace function note_revision()
 returns trigger
 language plpgsql
 set search_path to 'pg_catalog', 'public'
as $$
begin
  new.words_revision := (
    select d.words_revision + coalesce(t.words_revision, 0)
      from public.domains d
      left join public.information_types t
        on t.tenant_id = new.tenant_id and t.information_type_id = new.information_type_id
     where d.tenant_id = new.tenant_id and d.domain_id = new.domain_id);
  if tg_op = 'INSERT' or (new.status, new.decision_id) is distinct from (old.status, old.decision_id) then
    new.standing_revision := new.revision;
  end if;
  return new;
end
$$;

create or replace trigger candidates_revised_insert before insert on candidates
  for each row execute function note_revision();
create or replace trigger candidates_revised_update before update of revision on candidates
  for each row when (old.revision <> new.revision)
  execute function note_revision();

-- Counts the changes of the words that an owner reads of a domain or an information type.
create or replace function note_words()
 returns trigger
 language plpgsql
as $$
begin
  new.words_revision := old.words_revision + 1;
  return new;
end
$$;

create or replace trigger domains_words before update of name, description, inclusion, exclusion on domains
  for each row when ((old.name, old.description, old.inclusion, old.exclusion)
                     is distinct from (new.name, new.description, new.inclusion, new.exclusion))
  execute function note_words();
create or replace trigger information_types_words before update of name, definition, sensitivity on information_types
  for each row when ((old.name, old.definition, old.sensitivity) is distinct from (new.name, new.definition, new.sensitivity))
  execute function note_words();
