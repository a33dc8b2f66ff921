import { expect, test } from 'vitest';
import { createPool } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import { type CampaignId, newId, type TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { createWorker } from '../../core/work/worker.ts';
import { chaosHandler, makeChaos, wrongEnds } from '../support/chaos.ts';
import { createTestDatabase } from '../support/database.ts';
import { contradictions, makeEffects, openUnits } from '../support/work-truth.ts';

const CAMPAIGNS = 30;
const UNITS = 40;
const WORKERS = 4;

test('workers whose batches are of the same campaigns never wait for each other in a circle', async () => {
  const database = await createTestDatabase();
  try {
    await makeEffects(database);
    const campaigns: CampaignId[] = [];
    for (let n = 0; n < CAMPAIGNS; n++) {
      // Not in the order in which they are made.
      const tenantId = `circle-${(n * 7) % CAMPAIGNS}` as TenantId;
      const actOf = (unit: number) => (unit % 9 === 4 ? 'grows' : unit % 10 === 3 ? 'refuses' : 'works');
      campaigns.push((await makeChaos(database, tenantId, UNITS, actOf, Date.now())).campaignId);
    }
    const drain = async () => {
      const db = createPool(database.url, { max: 6, applicationName: 'test' });
      const worker = createWorker({
        owner: newId('wrk', Date.now()),
        db,
        clock: Date.now,
        log: createLogger({ level: 'error', clock: Date.now }),
        metrics: createMetrics(),
        doorbell: null,
        handlers: { process_asset: chaosHandler(db, Date.now) },
        concurrency: 4,
      });
      await worker.drain(60_000, new AbortController().signal);
      // A session tells what it counted when it ends.
      await db.close();
    };
    await Promise.all(Array.from({ length: WORKERS }, drain));
    const [row] = await database.inspect<{ deadlocks: number }>(sql`
      select deadlocks::int from pg_stat_database where datname = current_database()`);
    expect(row?.deadlocks).toBe(0);
    expect(await openUnits(database)).toBe(0);
    for (const campaignId of campaigns) {
      expect(await wrongEnds(database, campaignId)).toEqual([]);
    }
    expect(await contradictions(database)).toEqual([]);
  } finally {
    await database.drop();
  }
}, 60_000);
