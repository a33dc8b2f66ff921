-- Search of the release before (ADR 14). Nothing of this release calls it; a later migration drops it.

-- Nothing is sealed any more. A worker of the release before asks for it, and is told that there is no more.
create or replace function seal_search(p_tenant text, p_most integer default 16384, p_size integer default 16384, p_lexemes bigint default 500000, out sealed integer, out is_cut boolean)
 returns record
 language sql
as $$
  select 0, false
$$;

create or replace function search_unsealed()
 returns trigger
 language plpgsql
as $$
begin
  new.segment := null;
  new.slot := null;
  return new;
end
$$;

create or replace trigger asset_search_unsealed before update on asset_search
  for each row when (new.segment = old.segment and new.slot = old.slot
                     and (new.active, new.changed_at, new.marks, new.words)
                         is distinct from (old.active, old.changed_at, old.marks, old.words))
  execute function search_unsealed();

-- The bits of segments whose assets have their slots.
create or replace function write_search_postings(p_tenant text, p_segments integer[])
 returns void
 language sql
 set work_mem to '64MB'
 set jit to 'off'
as $$
  insert into public.search_postings (tenant_id, segment, lexeme, slots)
  select p_tenant, segment, lexeme, bit_or(set_bit(b'0'::bit(16384), slot, 1))
    from (
      select s.segment, s.slot, lexeme from public.asset_search s cross join unnest(s.words)
       where s.tenant_id = p_tenant and s.segment = any(p_segments) and left(lexeme, 1) <> '@'
      union all
      select s.segment, s.slot, '=' || mark from public.asset_search s cross join unnest(s.marks) as mark
       where s.tenant_id = p_tenant and s.segment = any(p_segments) and mark not like '____era:%'
    ) having_some
   group by segment, lexeme order by segment, lexeme
$$;
