import type { SourceFamily } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { ScopeId } from '../kernel/ids.ts';
import type { DataHandlingProfile } from '../scan/asset-state.sql.ts';
import type { KnownItem } from './expected-work.ts';

/** What is stored of the items with the given ids at the source, by id. */
export async function knownItems(
  tx: Tx,
  scopeId: ScopeId,
  externalIds: readonly string[],
): Promise<Map<string, KnownItem>> {
  const rows = await tx.query<KnownItem & { externalId: string }>(sql`
    select a.external_id as "externalId", a.content_version as "contentVersion",
           case when a.left_out_by is null then a.stage_keys ->> 'observe' end as observed,
           a.content_state = 'inaccessible' as "wasRefused",
           coalesce(s.config_version <> t.config_version, false) or a.content_state = 'inaccessible'
             or a.content_state = 'failed' and coalesce(a.content_reason in ('time_bound', 'memory_bound'), false)
             as "readsAgain"
      from assets a join scopes s using (tenant_id, scope_id) join tenants t using (tenant_id)
     where a.tenant_id = ${tx.tenantId} and a.scope_id = ${scopeId} and a.status = 'active'
       and a.external_id = any(${externalIds}::text[])`);
  return new Map(rows.map(({ externalId, ...known }) => [externalId, known]));
}

/** What else an estimate needs to know of a scope: its cursor, how many assets it has, and what may be kept of their texts. */
export async function scopeToEstimate(
  tx: Tx,
  scopeId: ScopeId,
): Promise<{ deltaCursor: string | null; assets: number; profile: DataHandlingProfile }> {
  const [row] = await tx.query<{
    deltaCursor: string | null;
    assets: number;
    profile: DataHandlingProfile;
  }>(sql`
    select case when s.delta_cursor_status = 'valid' then s.delta_cursor end as "deltaCursor", s.asset_count as assets,
           t.data_handling_profile as profile
      from scopes s join tenants t using (tenant_id)
     where s.tenant_id = ${tx.tenantId} and s.scope_id = ${scopeId}`);
  if (row === undefined) throw new Error('The scope has gone during a transaction');
  return row;
}

/** A scan that has ended. */
export type EndedScan = {
  isOfScope: boolean;
  scopeId: ScopeId;
  family: SourceFamily;
  isOfKind: boolean;
  items: number;
  calls: number;
  /** Contents that it read, also those that could not be read. */
  reads: number;
  bytesRead: number;
  startedAt: Date;
  finishedAt: Date;
  /** Null if it was paused, so that its time says nothing. */
  seconds: number | null;
};

const MOST_SCANS = 10;

/**
 * The last whole scans of the family that have ended and asked their source: first those of the scope, and of these first
 * those of the kind, so that many small deltas leave room for an inventory.
 */
export const endedScans = (
  tx: Tx,
  { scopeId, family, kind }: { scopeId: ScopeId; family: SourceFamily; kind: 'inventory' | 'delta' },
): Promise<EndedScan[]> =>
  tx.query<EndedScan>(sql`
    select c.scope_id = ${scopeId} as "isOfScope", c.scope_id as "scopeId", s.family, c.kind = ${kind} as "isOfKind",
           c.source_calls as calls, c.bytes_read as "bytesRead", c.started_at as "startedAt", c.finished_at as "finishedAt",
           case when c.paced_from is null then extract(epoch from c.finished_at - c.started_at)::float8 end as seconds,
           stages.items, stages.reads
      from campaigns c join scopes s using (tenant_id, scope_id)
     cross join lateral (
       select coalesce(sum(count) filter (where stage = 'observe'), 0)::float8 as items,
              coalesce(sum(count) filter (where stage = 'content' and outcome = 'computed'), 0)::float8 as reads
         from campaign_stage_counts n where n.tenant_id = c.tenant_id and n.campaign_id = c.campaign_id
     ) stages
     where c.tenant_id = ${tx.tenantId} and s.family = ${family} and c.status = 'completed' and c.listing_units_dead = 0
       and c.source_calls > 0 and c.started_at is not null
       and coalesce(jsonb_typeof(c.narrowing -> 'only'), 'null') = 'null'
     order by c.scope_id = ${scopeId} desc, c.kind = ${kind} desc, c.created_at desc, c.campaign_id desc limit ${MOST_SCANS}`);
