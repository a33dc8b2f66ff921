import { sql } from '../../core/db/sql.ts';
import type { Tx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { wordHash } from '../../core/kernel/search-words.ts';
import { searchLexemes } from '../../core/search/searched-words.ts';
import type { TestDatabase } from './database.ts';

/** Two domains of assets. */
export const DOMAINS = ['dom_a', 'dom_b'] as const;

/**
 * Creates a tenant that has only a scope and domains.
 * @param wantedId a fixed id instead of the next one
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

/** Stores the words of an asset's text and the kinds that detectors found in it. */
export const tellWords = (
  tx: Tx,
  assetId: string,
  textWords: readonly string[],
  kinds: readonly string[] = [],
): Promise<unknown> =>
  tx.query(sql`
    insert into asset_features (tenant_id, asset_id, features_key, features, signal_kinds, search_lexemes, computed_at)
    values (${tx.tenantId}, ${assetId}, 'key', '{}', '{}',
            ${searchLexemes(
              tx.tenantId,
              textWords.map(wordHash),
              kinds.map((detectorId) => ({ detectorId })),
            )}::text[], now())
    on conflict (tenant_id, asset_id) do update set search_lexemes = excluded.search_lexemes`);
