import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mockAiProvider } from '../../core/ai/mock.ts';
import type { Principal } from '../../core/authz/principal.ts';
import { findCampaign, startCampaign } from '../../core/campaigns/campaigns.sql.ts';
import { changeSchedule } from '../../core/campaigns/change-schedule.ts';
import { withProgress } from '../../core/campaigns/progress.sql.ts';
import { ScheduleChangeSchema } from '../../core/campaigns/schedule-schema.ts';
import { loadConfig } from '../../core/config/config.ts';
import { createSmbConnector } from '../../core/connectors/smb/smb-connector.ts';
import { sql } from '../../core/db/sql.ts';
import { type Tx, withTx } from '../../core/db/tx.ts';
import type { PrincipalId, TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { scanHandlers } from '../../core/scan/scan-handlers.ts';
import { createWorker } from '../../core/work/worker.ts';
import { makeEnsemble, makeTenant, mustStart } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { meteredAtOnce } from '../support/metered-at-once.ts';
import { textAnalysis } from '../support/text-analysis.ts';

const tenantId = 'megabytes' as TenantId;
const live = new AbortController().signal;
const at = (text: string) => Date.parse(`2026-11-27T${text}Z`);

let database: TestDatabase;
let root: string;

beforeAll(async () => {
  database = await createTestDatabase();
  root = await mkdtemp(join(tmpdir(), 'megabytes-'));
});
afterAll(async () => {
  await rm(root, { recursive: true });
  await database.drop();
});

const write = <T>(fn: (tx: Tx) => Promise<T>) => withTx(database.db, { tenantId, mode: 'write' }, fn);

test('a ceiling of megabytes stops a scan, and it goes on in the next hour to its end', async () => {
  let now = at('12:10');
  const scopeId = await makeTenant(database, tenantId, now);
  await makeEnsemble(database, tenantId, now);
  const share = createSmbConnector({ root, shares: ['.'] });
  const [scope] = (await share.listScopes(null, live)).scopes;
  await database.inspect(
    sql`update scopes set family = 'smb', external_id = ${scope?.externalId ?? ''} where scope_id = ${scopeId}`,
  );
  // A megabyte is 1,000,000 bytes: two of these are not yet one, and three are more.
  for (let n = 0; n < 7; n++)
    await writeFile(join(root, `${n}.txt`), `Notes ${n} `.repeat(50_000).slice(0, 400_000));
  await write((tx) =>
    changeSchedule(tx, ScheduleChangeSchema.parse({ revision: 0, megabytesPerHour: 1 }), {
      principal: { principalId: 'pri_admin' as PrincipalId, tenantId } as Principal,
      audit: () => undefined,
      now,
    }),
  );
  const first = {
    kind: 'inventory_page' as const,
    logicalKey: 'page:0',
    payload: { page: 0, pageToken: null },
  };
  const campaign = { scopeId, kind: 'inventory' as const, createdBy: null, correlationId: 'cor_1', first };
  const campaignId = mustStart(await write((tx) => startCampaign(tx, campaign, now)));

  const log = createLogger({ level: 'error', clock: () => now });
  const common = { db: database.db, clock: () => now, log, metrics: createMetrics(), doorbell: null };
  const connector = meteredAtOnce(common, tenantId, share);
  const handlers = scanHandlers({
    ...common,
    config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url }),
    analysis: textAnalysis,
    provider: mockAiProvider,
    connectorFor: () => connector,
  });
  const drain = () =>
    createWorker({ owner: 'wrk_1', ...common, handlers, concurrency: 1, leaseBatch: 1 }).drain(
      Infinity,
      live,
    );
  const state = () =>
    write(async (tx) => {
      const found = await findCampaign(tx, { kind: 'tenant' }, campaignId);
      if (found === null) throw new Error('No such campaign');
      const { status, waitingFor, waitingUntil } = await withProgress(tx, found, now);
      const [read] = await tx.query<{ files: number }>(sql`
        select count(*)::int as files from assets where content_state = 'available' and content_hash is not null`);
      return { status, waitingFor, waitingUntil, files: read?.files };
    });
  const bytesOfHour = async () => {
    const rows = await database.inspect<{ bytes: number }>(sql`
      select bytes::float8 as bytes from source_usage where hour = ${new Date(Math.floor(now / 3_600_000) * 3_600_000)}`);
    return rows.map(({ bytes }) => bytes);
  };
  const waiting = { status: 'running', waitingFor: 'ceiling' };

  await drain();
  expect(await state()).toEqual({ ...waiting, waitingUntil: '2026-11-27T13:00:00.000Z', files: 3 });
  expect(await bytesOfHour()).toEqual([1_200_000]);
  now = at('12:59:59.999');
  await drain();
  expect(await state()).toMatchObject({ ...waiting, files: 3 });
  now = at('13:00');
  await drain();
  expect(await state()).toEqual({ ...waiting, waitingUntil: '2026-11-27T14:00:00.000Z', files: 6 });
  expect(await bytesOfHour()).toEqual([1_200_000]);
  now = at('14:00');
  await drain();
  expect(await state()).toEqual({ status: 'completed', waitingFor: null, waitingUntil: null, files: 7 });
  expect(await database.inspect(sql`select coverage_state, asset_count from scopes`)).toEqual([
    { coverage_state: 'baseline', asset_count: 7 },
  ]);
});
