import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { QueueClient } from '@azure/storage-queue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../core/config/config.ts';
import { newId, type TenantId } from '../../core/kernel/ids.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { createQueueDoorbell } from '../../core/platform/queue-doorbell.ts';
import { DOORBELL_QUEUE, type Doorbell } from '../../core/work/doorbell.ts';
import { createWorker, type Worker } from '../../core/work/worker.ts';
import { type LocalStorage, startAzurite } from '../../infra/local/azurite.ts';
import {
  type Act,
  chaosHandler,
  chaosSeed,
  makeChaos,
  NOTHING_WRONG,
  randomFrom,
  whatIsWrong,
} from '../support/chaos.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { makeEffects, openUnits } from '../support/work-truth.ts';

let database: TestDatabase;
let storage: LocalStorage;
let dataDir: string;
let doorbell: Doorbell;
let offset = 0;
const clock = () => Date.now() + offset;
const logged: string[] = [];

const start = () => startAzurite({ dataDir, log: () => undefined });

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'doorbells-'));
  [database, storage] = await Promise.all([createTestDatabase({ max: 8 }), start()]);
  await makeEffects(database);
  const made = createQueueDoorbell(
    loadConfig({
      SVC_ENV: 'development',
      SVC_DATABASE_URL: database.url,
      AzureWebJobsStorage: storage.connectionString,
    }),
  );
  if (made === null) throw new Error('storage is configured');
  doorbell = made;
});
afterAll(async () => {
  await storage?.stop();
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const replica = () =>
  createWorker({
    owner: newId('wrk', clock()),
    db: database.db,
    clock,
    log: createLogger({ level: 'warn', clock, destination: { write: (line) => logged.push(line) } }),
    metrics: createMetrics(),
    doorbell,
    handlers: { process_asset: chaosHandler(database.db, clock) },
    concurrency: 2,
  });

const UNITS = NIGHTLY ? 600 : 200;
const REPLICAS = 3;
/** Short drains, so that the work takes many doorbells. */
const BUDGET_MS = 50;
const actOf = (n: number): Act => (n % 7 === 3 ? 'stumbles' : n % 11 === 5 ? 'grows' : 'works');

test('doorbells lost, doubled and rung in vain: all settles, nothing twice', async () => {
  const seed = chaosSeed();
  const random = randomFrom(seed);
  const { campaignId } = await makeChaos(database, 'bells' as TenantId, UNITS, actOf, Date.now());
  const queue = new QueueClient(storage.connectionString, DOORBELL_QUEUE);
  const replicas = Array.from({ length: REPLICAS }, replica);
  const { signal } = new AbortController();

  /** As the queue's host does: a message is gone once its drain has ended well. Some are lost, some come twice. */
  const hear = async (worker: Worker): Promise<boolean> => {
    const { receivedMessageItems } = await queue.receiveMessages({ visibilityTimeout: 30 });
    const [message] = receivedMessageItems;
    if (message === undefined) return false;
    const fate = random();
    if (fate < 0.2) await doorbell.ring(2, 0);
    if (fate < 0.9) await worker.drain(BUDGET_MS, signal);
    await queue.deleteMessage(message.messageId, message.popReceipt);
    return true;
  };
  const hearAll = async (worker: Worker) => {
    while (await hear(worker));
  };
  /** Time passes, timers sweep, and every replica hears what rings. */
  const round = async () => {
    offset += 1_000;
    await Promise.all(replicas.map((worker) => worker.sweep()));
    await Promise.all(replicas.map(hearAll));
  };
  const roundsUntil = async (open: number) => {
    while ((await openUnits(database)) > open) await round();
  };

  await roundsUntil(UNITS / 2);
  // While the queue is away work goes on, and what cannot be rung for is only told.
  await storage.stop();
  const away = await makeChaos(database, 'away' as TenantId, UNITS / 10, () => 'stumbles', clock());
  const settled = await Promise.all(replicas.map((worker) => worker.drain(BUDGET_MS, signal)));
  expect(settled.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  expect(logged.filter((line) => line.includes('doorbell_failed')).length).toBeGreaterThan(0);
  storage = await start();
  await roundsUntil(0);

  expect({ seed, ...(await whatIsWrong(database, [campaignId, away.campaignId])) }).toEqual({
    seed,
    ...NOTHING_WRONG,
  });
});
