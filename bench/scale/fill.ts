import type { Client } from 'pg';
import type { TenantId } from '../../core/kernel/ids.ts';

export type Filled = { tenantId: TenantId; campaignId: string; deadLetters: number };

const SCOPES = 200;
const ENDED_CAMPAIGNS = 5_000;
const DEAD_EVERY = 1_000;

/**
 * Fills a tenant with SQL: assets in 200 scopes, a running rescore with a unit for each, and the ended campaigns of
 * years. A tenth of the units are settled, and each thousandth of these is dead.
 */
export async function fill(client: Client, tenantId: TenantId, assets: number): Promise<Filled> {
  const campaignId = `cmp_${tenantId}`;
  const settled = Math.floor(assets / 10);
  const dead = Math.floor(settled / DEAD_EVERY);
  const run = (text: string, values: unknown[]) => client.query(text, values);
  await run(`insert into tenants (tenant_id, name, created_at) values ($1, $1, now())`, [tenantId]);
  await run(
    `insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
     values ($1, 'con_' || $1, 'm365', 'mock', now())`,
    [tenantId],
  );
  await run(
    `insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, asset_count,
                         coverage_state, delta_cursor, delta_cursor_status, delta_cursor_at, created_at)
     select $1, $1 || '-' || n, 'con_' || $1, 'm365', n::text, 'Site ' || n, 'site', $2::int / $3::int,
            'baseline', 'cursor', 'valid', now(), now()
       from generate_series(0, $3::int - 1) as n`,
    [tenantId, assets, SCOPES],
  );
  await run(
    `insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                         content_version, content_state, first_seen_at, last_seen_at)
     select $1, 'ast_' || $1 || lpad(n::text, 10, '0'), $1 || '-' || n % $3::int, n::text, 'a', 'a', 'file', 1, '1', '1',
            'available', now(), now()
       from generate_series(0, $2::int - 1) as n`,
    [tenantId, assets, SCOPES],
  );
  await run(
    `insert into campaigns (tenant_id, campaign_id, scope_id, kind, status, correlation_id, units_total,
                            units_completed, created_at, started_at, finished_at)
     select $1, 'cmp_' || $1 || '_' || n, $1 || '-' || n % $3::int, 'delta', 'completed', 'bench', 10, 10, now(), now(), now()
       from generate_series(1, $2::int) as n`,
    [tenantId, ENDED_CAMPAIGNS, SCOPES],
  );
  await run(
    `insert into campaigns (tenant_id, campaign_id, kind, status, correlation_id, units_total, units_completed,
                            units_dead, created_at, started_at)
     values ($1, $2, 'rescore', 'running', 'bench', $3, $4::int - $5::int, $5, now(), now())`,
    [tenantId, campaignId, assets, settled, dead],
  );
  await run(
    `insert into work_units (tenant_id, campaign_id, kind, logical_key, payload, status, run_after, created_at, settled_at)
     select $1, $2, 'rescore_asset', 'asset:' || n, jsonb_build_object('n', n),
            case when n > $4::int then 'pending' when n % $5::int = 0 then 'dead' else 'completed' end, now(), now(),
            case when n <= $4::int then now() end
       from generate_series(1, $3::int) as n`,
    [tenantId, campaignId, assets, settled, DEAD_EVERY],
  );
  await run(
    `insert into dead_letters (tenant_id, dead_letter_id, campaign_id, unit_id, retry_class, safe_diagnostic, attempt,
                               created_at)
     select $1, 'dlq_' || unit_id, campaign_id, unit_id, 'transient', 'bench', 4, now()
       from work_units where tenant_id = $1 and status = 'dead'`,
    [tenantId],
  );
  await run(
    `insert into campaign_stage_counts (tenant_id, campaign_id, stage, outcome, count)
     values ($1, $2, 'inference', 'computed', $3)`,
    [tenantId, campaignId, settled - dead],
  );
  await client.query('vacuum (analyze)');
  // So that pending writes of the fill do not affect the measurements.
  await client.query('checkpoint');
  return { tenantId, campaignId, deadLetters: dead };
}
