import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { withTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { findCampaign, stageCounts } from '../../core/work/campaigns.sql.ts';
import { LEASE_MS } from '../../core/work/lease.sql.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const UNITS = 600;
const KILLS = 4;
const tenantId = 'crash' as TenantId;
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function startWorker(clockOffset: number) {
  const script = new URL('../support/worker-process.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, database.url, String(clockOffset)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, started: once(child.stdout, 'data'), ended: once(child, 'exit') };
}

test('workers killed in mid-campaign lose no unit and settle none twice', async () => {
  const scopeId = await makeTenant(database, tenantId, Date.now());
  const campaignId = await makeCampaign(database.db, tenantId, scopeId, UNITS, Date.now());
  let offset = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const workers = [startWorker(offset), startWorker(offset)];
    await Promise.all(workers.map((worker) => worker.started));
    await sleep(60 + 40 * kill);
    for (const worker of workers) worker.child.kill('SIGKILL');
    await Promise.all(workers.map((worker) => worker.ended));
    // What the dead held may be taken once their leases have run out.
    offset += LEASE_MS + 1;
  }
  const cut = await database.inspect<{ leased: number; completed: number }>(sql`
    select count(*) filter (where status = 'leased')::int as leased,
           count(*) filter (where status = 'completed')::int as completed from work_units`);
  expect(cut[0]?.completed).toBeGreaterThan(0);
  expect(cut[0]?.completed).toBeLessThan(UNITS);

  await startWorker(offset).ended;

  const units = await database.inspect(sql`select status, count(*)::int as count from work_units group by 1`);
  expect(units).toEqual([{ status: 'completed', count: UNITS }]);
  const [campaign, stages] = await withTx(database.db, { tenantId, mode: 'read' }, async (tx) => [
    await findCampaign(tx, { kind: 'tenant' }, campaignId),
    await stageCounts(tx, campaignId),
  ]);
  expect(campaign).toMatchObject({
    status: 'completed',
    workUnits: { completed: UNITS, dead: 0, pending: 0 },
  });
  expect(stages).toEqual([{ stage: 'observe', outcome: 'computed', count: UNITS }]);
});
