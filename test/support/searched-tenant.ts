import { sql } from '../../core/db/sql.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import type { TestDatabase } from './database.ts';

/** Two that assets may be tied to. */
export const DOMAINS = ['dom_a', 'dom_b'] as const;

/**
 * A further tenant that has a scope, domains and nothing else.
 * @param wantedId another id than the next of many
 */
export async function addSearchedTenant(database: TestDatabase, wantedId?: TenantId): Promise<TenantId> {
  const [row] = await database.inspect<{ tenantId: TenantId }>(sql`
    insert into tenants (tenant_id, name, created_at)
    select coalesce(${wantedId ?? null}, 'ten_' || count(*)), 'T', now() from tenants returning tenant_id as "tenantId"`);
  if (row === undefined) throw new Error('No tenant was added');
  const { tenantId } = row;
  await database.inspect(sql`
    insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
    values (${tenantId}, ${`con_${tenantId}`}, 'm365', 'mock', now())`);
  await database.inspect(sql`
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
    values (${tenantId}, ${`scp_${tenantId}`}, ${`con_${tenantId}`}, 'm365', 'site', 'Site', 'site', now())`);
  await database.inspect(sql`
    insert into domains (tenant_id, domain_id, name, created_at, updated_at)
    select ${tenantId}, domain, domain, now(), now() from unnest(${DOMAINS}::text[]) as domain`);
  return tenantId;
}

export type Named = { assetId: string; name: string; changedAt: Date };

export const addNamed = (database: TestDatabase, tenantId: TenantId, assets: readonly Named[]) =>
  database.inspect(sql`
    insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                        content_version, first_seen_at, last_seen_at, changed_at)
    select ${tenantId}, id, ${`scp_${tenantId}`}, id, name, 'p', 'file', 1, 'v', 'c', now(), now(), moment
      from unnest(${assets.map(({ assetId }) => assetId)}::text[], ${assets.map(({ name }) => name)}::text[],
                  ${assets.map(({ changedAt }) => changedAt.toISOString())}::timestamptz[]) as a (id, name, moment)`);

/** @returns how many were sealed that had not been */
export async function seal(
  database: TestDatabase,
  tenantId: TenantId,
  most: number,
  size: number,
): Promise<number> {
  const [row] = await database.inspect<{ sealed: number }>(
    sql`select sealed from seal_search(${tenantId}, ${most}::integer, ${size}::integer)`,
  );
  return row?.sealed ?? 0;
}

/** Ids of active assets that are in no segment. */
export const freshOf = async (database: TestDatabase, tenantId: TenantId): Promise<string[]> => {
  const rows = await database.inspect<{ assetId: string }>(sql`
    select asset_id as "assetId" from asset_search
     where tenant_id = ${tenantId} and active and segment is null order by asset_id`);
  return rows.map(({ assetId }) => assetId);
};

/** How many of their assets still have their slots, in each segment from the first. */
export const segmentsOf = async (database: TestDatabase, tenantId: TenantId): Promise<number[]> => {
  const rows = await database.inspect<{ assets: number }>(sql`
    select (select count(*)::int from asset_search s where s.tenant_id = g.tenant_id and s.segment = g.segment) as assets
      from search_segments g where tenant_id = ${tenantId} order by segment`);
  return rows.map(({ assets }) => assets);
};

/** All that is stored of segments: two of these differ where anything was sealed between them. */
export const storedSegments = async (database: TestDatabase, tenantId: TenantId) => ({
  rows: await database.inspect(sql`
    select asset_id, segment, slot from asset_search where tenant_id = ${tenantId} order by asset_id`),
  segments: await database.inspect(sql`
    select segment, since, until, assets from search_segments where tenant_id = ${tenantId} order by segment`),
  postings: await database.inspect(sql`
    select segment, lexeme, md5(slots::text) as slots from search_postings
     where tenant_id = ${tenantId} order by segment, lexeme`),
});

/** Whatever segments say of an asset that has a slot that its row does not say, and the other way about. */
export const segmentFaults = (database: TestDatabase, tenantId: TenantId) =>
  database.inspect(sql`
    with sealed as materialized (
      select * from asset_search where tenant_id = ${tenantId} and segment is not null
    ), said as (
      select s.asset_id, p.lexeme from sealed s join search_postings p using (tenant_id, segment)
       where get_bit(p.slots, s.slot) = 1
    ), meant as (
      select asset_id, lexeme from sealed cross join unnest(words)
      union
      select asset_id, '=' || mark from sealed cross join unnest(marks) as mark
    )
    select 'said alone' as fault, asset_id, lexeme from (table said except table meant) s
    union all
    select 'meant alone', asset_id, lexeme from (table meant except table said) m
    union all
    select 'out of its time', s.asset_id, null from sealed s join search_segments g using (tenant_id, segment)
     where s.changed_at not between g.since and g.until
    union all
    select 'out of order', s.asset_id, null from sealed s join sealed o using (segment)
     where s.slot < o.slot and (s.changed_at, s.asset_id) < (o.changed_at, o.asset_id)
    union all
    select 'sealed though deleted', asset_id, null from sealed where not active`);
