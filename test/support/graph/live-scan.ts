import { createHash } from 'node:crypto';
import { mockAiProvider } from '../../../core/ai/mock.ts';
import { startCampaign } from '../../../core/campaigns/campaigns.sql.ts';
import { loadConfig } from '../../../core/config/config.ts';
import type { Connector, Grant } from '../../../core/connectors/connector.ts';
import { sql } from '../../../core/db/sql.ts';
import { type Db, withTx } from '../../../core/db/tx.ts';
import { type CampaignId, newId, type ScopeId, type TenantId } from '../../../core/kernel/ids.ts';
import { createLogger } from '../../../core/observability/log.ts';
import { createMetrics } from '../../../core/observability/metrics.ts';
import { scanHandlers } from '../../../core/scan/scan-handlers.ts';
import { createWorker, type Worker } from '../../../core/work/worker.ts';
import { makeEnsemble, makeTenant, mustStart } from '../campaign.ts';
import type { TestDatabase } from '../database.ts';
import { textAnalysis } from '../text-analysis.ts';
import { namesTo } from './drive-item-json.ts';
import type { FakeLibrary } from './graph-fake.ts';
import { tagOf } from './ids.ts';

/** A tenant whose only scope is a library of the fake. */
export async function makeLiveTenant(
  database: TestDatabase,
  library: FakeLibrary,
  tenantId: TenantId,
  now: number,
): Promise<ScopeId> {
  const scopeId = await makeTenant(database, tenantId, now);
  await makeEnsemble(database, tenantId, now);
  await database.inspect(sql`update connector_instances set mode = 'live' where tenant_id = ${tenantId}`);
  await database.inspect(sql`
    update scopes set external_id = ${library.id}, kind = 'drive' where tenant_id = ${tenantId}`);
  return scopeId;
}

export const startLiveScan = async (
  db: Db,
  { tenantId, scopeId }: { tenantId: TenantId; scopeId: ScopeId },
  kind: 'inventory' | 'delta',
  now: number,
): Promise<CampaignId> => {
  const first =
    kind === 'inventory'
      ? { kind: 'inventory_page' as const, logicalKey: 'page:0', payload: { page: 0, pageToken: null } }
      : { kind: 'delta_run' as const, logicalKey: 'delta', payload: {} };
  const campaign = { scopeId, kind, createdBy: null, correlationId: 'cor_live', first };
  return mustStart(await withTx(db, { tenantId, mode: 'write' }, (tx) => startCampaign(tx, campaign, now)));
};

/** The worker of a process that scans with this connector. */
export function liveWorker(
  url: string,
  parts: {
    db: Db;
    clock: () => number;
    connector: Connector;
    concurrency?: number;
    settings?: Record<string, string>;
  },
): Worker {
  const { db, clock, connector, concurrency = 4, settings = {} } = parts;
  // A process that was killed would log that it lost its connections.
  const log = createLogger({ level: 'error', clock, destination: { write: () => undefined } });
  const common = { db, clock, log, metrics: createMetrics(), doorbell: null };
  const handlers = scanHandlers({
    ...common,
    config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: url, ...settings }),
    analysis: textAnalysis,
    provider: mockAiProvider,
    connectorFor: () => connector,
  });
  return createWorker({ owner: newId('wrk', clock()), ...common, handlers, concurrency });
}

/** What is known of a file: by the fake, or by the service. */
export type Known = {
  path: string;
  version: string | null;
  /** SHA-256 of the content. */
  hash: string | null;
  grants: readonly Grant[];
};

/** The files of a library by id. Grants are read through the connector, which tests of their own cover. */
export async function libraryTruth(
  { drive }: FakeLibrary,
  connector: Connector,
): Promise<Record<string, Known>> {
  const files = [...drive.items.values()].filter(({ kind, deleted }) => kind === 'file' && !deleted);
  const known = await Promise.all(
    files.map(async (item): Promise<[string, Known]> => {
      const never = new AbortController().signal;
      const permissions = await connector.getPermissions(drive.id, item.id, never);
      if (permissions === 'denied') throw new Error('The fake refuses what is compared.');
      const { grants } = permissions;
      const bytes = item.content?.bytes() ?? new Uint8Array();
      const hash = createHash('sha256').update(bytes).digest('hex');
      const version = tagOf(item.guid, item.revision);
      return [item.id, { path: namesTo(drive, item).join('/'), version, hash, grants: sorted(grants) }];
    }),
  );
  return Object.fromEntries(known);
}

/** The active assets of a tenant by their id at the source, as they were last observed. */
export async function knownAssets(
  database: TestDatabase,
  tenantId: TenantId,
): Promise<Record<string, Known>> {
  const rows = await database.inspect<Known & { id: string }>(sql`
    select external_id as id, path, stage_keys ->> 'observe' as version, encode(content_hash, 'hex') as hash, grants
      from assets where tenant_id = ${tenantId} and status = 'active'`);
  return Object.fromEntries(
    rows.map(({ id, grants, ...known }) => [id, { ...known, grants: sorted(grants ?? []) }]),
  );
}

const sorted = (grants: readonly Grant[]): Grant[] =>
  grants
    .map(({ principal, principalKind, external, role, inherited }) => ({
      ...{ principal, principalKind, external, role, inherited },
    }))
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
