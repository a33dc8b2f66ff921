import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../core/config/config.ts';
import { sql } from '../../core/db/sql.ts';
import { newId, type ScopeId, type TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { createQueueDoorbell } from '../../core/platform/queue-doorbell.ts';
import type { Doorbell } from '../../core/work/doorbell.ts';
import { UnitFailure } from '../../core/work/failure.ts';
import type { UnitHandler } from '../../core/work/unit.ts';
import { createWorker } from '../../core/work/worker.ts';
import { type LocalStorage, startAzurite } from '../../infra/local/azurite.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let storage: LocalStorage;
let doorbell: Doorbell;
let tenants = 0;

beforeAll(async () => {
  [database, storage] = await Promise.all([
    createTestDatabase(),
    startAzurite({ inMemory: true, log: () => undefined }),
  ]);
  const config = loadConfig({
    SVC_ENV: 'development',
    SVC_DATABASE_URL: database.url,
    AzureWebJobsStorage: storage.connectionString,
  });
  const made = createQueueDoorbell(config);
  if (made === null) throw new Error('storage is configured');
  doorbell = made;
});
afterAll(async () => {
  await storage.stop();
  await database.drop();
});
beforeEach(() => database.inspect(sql`update campaigns set status = 'cancelled'`));

const worker = (handler: UnitHandler, bell: Doorbell | null = doorbell) =>
  createWorker({
    owner: newId('wrk', Date.now()),
    db: database.db,
    clock: Date.now,
    log: createLogger({ level: 'error', clock: Date.now }),
    metrics: createMetrics(),
    doorbell: bell,
    handlers: { process_asset: handler },
    concurrency: 2,
  });

async function campaignOf(units: number): Promise<void> {
  const tenantId = `bell-${tenants++}` as TenantId;
  const scopeId: ScopeId = await makeTenant(database, tenantId, Date.now());
  await makeCampaign(database.db, tenantId, scopeId, units, Date.now());
}

test('without storage there is no doorbell', () => {
  const config = loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url });
  expect(createQueueDoorbell(config)).toBeNull();
});

test('the sweep rings for due units whose doorbell was lost, once, and not for nothing', async () => {
  const idle = worker(async () => ({}));
  await idle.sweep();
  expect(await doorbell.isRinging()).toBe(false);
  await campaignOf(3);
  await idle.sweep();
  expect(await doorbell.isRinging()).toBe(true);
  const { QueueClient } = await import('@azure/storage-queue');
  const queue = new QueueClient(storage.connectionString, 'work-doorbells');
  const count = async () => (await queue.getProperties()).approximateMessagesCount;
  const before = await count();
  await idle.sweep();
  expect(await count()).toBe(before);
  await queue.clearMessages();
});

test('a failed unit rings for its own retry, hidden until it is due', async () => {
  await campaignOf(1);
  const rung: [count: number, delayMs: number][] = [];
  const recording: Doorbell = {
    ring: async (count, delayMs) => {
      rung.push([count, delayMs]);
    },
    isRinging: async () => false,
  };
  const failing = worker(async () => {
    throw new UnitFailure('throttled', 'source_throttled');
  }, recording);
  await failing.drain(10_000, new AbortController().signal);
  expect(rung).toEqual([[1, 4_000]]);
  await doorbell.ring(1, 4_000);
  expect(await doorbell.isRinging()).toBe(false);
});
