import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pollingDelay } from '../../infra/local/functions-host/polling-delay.ts';
import {
  type FunctionsHost,
  type FunctionsHostOptions,
  type HostLogEntry,
  startFunctionsHost,
} from '../../infra/local/functions-host.ts';
import { gate, gates, recorded } from '../support/functions-host/recorded.ts';

const ACCOUNT = 'devstoreaccount1';
const KEY = Buffer.from('a key that only this test and its own server know').toString('base64');

/** 0 until the first start, which takes any: nobody else can take it before. */
let port = 0;
let azurite: ChildProcess;

async function startAzurite(): Promise<void> {
  const program = createRequire(import.meta.url).resolve('azurite/dist/src/queue/main.js');
  const args = [program, '--queueHost', '127.0.0.1', '--queuePort', String(port), '--inMemoryPersistence'];
  azurite = spawn(process.execPath, [...args, '--skipApiVersionCheck', '--disableTelemetry'], {
    env: { ...process.env, AZURITE_ACCOUNTS: `${ACCOUNT}:${KEY}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    azurite.once('exit', (code) => reject(new Error(`Azurite ended with ${code}.`)));
    azurite.stdout?.on('data', (text) => {
      const listening = /successfully listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(String(text));
      if (listening === null) return;
      port = Number(listening[1]);
      resolve();
    });
  });
}

async function stopAzurite(): Promise<void> {
  const ended = new Promise((resolve) => azurite.once('exit', resolve));
  azurite.kill('SIGKILL');
  await ended;
}

let connectionString: string;
let incoming: QueueClient;
let poison: QueueClient;
let host: FunctionsHost | undefined;
const log: HostLogEntry[] = [];

const start = async (queues: object = {}, more: Partial<FunctionsHostOptions> = {}) => {
  host = await startFunctionsHost({
    root: new URL('../support/functions-host', import.meta.url).pathname,
    main: 'queue-functions.ts',
    hostJson: { version: '2.0', extensions: { queues: { maxPollingInterval: '00:00:00.200', ...queues } } },
    settings: { FixtureStorage: connectionString },
    log: (entry) => log.push(entry),
    ...more,
  });
};
const post = (body: unknown) => incoming.sendMessage(Buffer.from(JSON.stringify(body)).toString('base64'));
const countOf = async (queue: QueueClient) => (await queue.getProperties()).approximateMessagesCount ?? 0;
const eventually = (read: () => unknown) => expect.poll(read, { interval: 30 });
const bodies = () => recorded.messages.map((message) => message.body);

beforeAll(async () => {
  await startAzurite();
  connectionString = `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${KEY};QueueEndpoint=http://127.0.0.1:${port}/${ACCOUNT};`;
  const service = QueueServiceClient.fromConnectionString(connectionString);
  incoming = service.getQueueClient('incoming');
  poison = service.getQueueClient('incoming-poison');
});
afterAll(stopAzurite);
beforeEach(async () => {
  recorded.messages.length = 0;
  log.length = 0;
  gates.clear();
  await Promise.all([incoming.deleteIfExists(), poison.deleteIfExists()]);
  await incoming.create();
});
afterEach(async () => {
  for (const { resolve } of gates.values()) resolve();
  await host?.close();
  host = undefined;
});

describe('queue triggers', () => {
  it('hand over the message, parsed when it is JSON, with its metadata, and delete it', async () => {
    await post({ Campaign: 7 });
    await incoming.sendMessage(Buffer.from('plain tëxt').toString('base64'));
    await start();
    await eventually(bodies).toHaveLength(2);
    expect(bodies()).toEqual(expect.arrayContaining([{ Campaign: 7 }, 'plain tëxt']));
    const metadata = recorded.messages.find(({ body }) => body === 'plain tëxt')?.metadata;
    expect(metadata).toEqual({
      queueTrigger: 'plain tëxt',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      popReceipt: expect.any(String),
      dequeueCount: 1,
      insertionTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      expirationTime: expect.stringContaining('+00:00'),
      nextVisibleTime: expect.stringContaining('+00:00'),
    });
    await eventually(() => countOf(incoming)).toBe(0);
  });

  it('retry a message up to the limit, then move it to the poison queue', async () => {
    await post({ fail: true });
    await start({ maxDequeueCount: 3 });
    await eventually(() => poison.exists()).toBe(true);
    await eventually(() => countOf(incoming)).toBe(0);
    expect(recorded.messages.map(({ metadata }) => metadata.dequeueCount)).toEqual([1, 2, 3]);
    const [kept] = (await poison.peekMessages()).peekedMessageItems;
    expect(Buffer.from(kept?.messageText ?? '', 'base64').toString()).toBe('{"fail":true}');
    expect(log.filter(({ level }) => level === 'error')).toHaveLength(3);
  });

  it('do not run a message again that killed its receivers as often as allowed', async () => {
    await post({ never: 'seen' });
    for (let time = 0; time < 2; time += 1) {
      const [message] = (await incoming.receiveMessages({ visibilityTimeout: 1 })).receivedMessageItems;
      await incoming.updateMessage(message?.messageId ?? '', message?.popReceipt ?? '', undefined, 0);
    }
    await start({ maxDequeueCount: 2 });
    await eventually(() => poison.exists()).toBe(true);
    expect(recorded.messages).toEqual([]);
  });

  it('wait the visibility timeout before the next try', async () => {
    await post({ fail: true });
    await start({ visibilityTimeout: '00:00:02' });
    await eventually(bodies).toHaveLength(1);
    const first = Date.now();
    await eventually(bodies).toHaveLength(2);
    expect(Date.now() - first).toBeGreaterThan(1000);
  });

  it('move what is not base64 to the poison queue as it came', async () => {
    await incoming.sendMessage('{"raw": true}');
    await start();
    await eventually(() => poison.exists()).toBe(true);
    await eventually(async () => (await poison.peekMessages()).peekedMessageItems[0]?.messageText).toBe(
      '{"raw": true}',
    );
    expect(recorded.messages).toEqual([]);
  });

  it('take raw text where the encoding is none', async () => {
    await incoming.sendMessage('{"raw": true}');
    await start({ messageEncoding: 'none' });
    await eventually(bodies).toEqual([{ raw: true }]);
  });

  it('keep a message hidden for as long as its function runs', async () => {
    await post({ wait: 'long' });
    await start({}, { queueLeaseSeconds: 1 });
    await eventually(bodies).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    gate('long').resolve();
    await eventually(() => countOf(incoming)).toBe(0);
    expect(recorded.messages).toHaveLength(1);
  });

  it('leave a message alone that another receiver has by now', async () => {
    await post({ wait: 'stolen' });
    await start({ batchSize: 1 });
    await eventually(bodies).toHaveLength(1);
    const { id, popReceipt } = recorded.messages[0]?.metadata ?? {};
    await incoming.updateMessage(String(id), String(popReceipt), undefined, 0);
    const stolen = (await incoming.receiveMessages({ visibilityTimeout: 60 })).receivedMessageItems;
    expect(stolen).toHaveLength(1);
    gate('stolen').resolve();
    await post({ after: true });
    await eventually(bodies).toHaveLength(2);
    expect(await countOf(incoming)).toBeGreaterThanOrEqual(1);
    expect(log.filter(({ level }) => level === 'warning')).toEqual([]);
  });

  it('run no more at once than batch size and threshold allow', async () => {
    for (let index = 0; index < 6; index += 1) await post({ wait: 'batch' });
    await start({ batchSize: 2, newBatchThreshold: 1 });
    await eventually(bodies).toHaveLength(2);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(recorded.messages).toHaveLength(2);
    gate('batch').resolve();
    await eventually(bodies).toHaveLength(6);
  });

  it('take a queue that does not exist yet as empty', async () => {
    await incoming.delete();
    await start();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await incoming.create();
    await post({ late: true });
    await eventually(bodies).toEqual([{ late: true }]);
    expect(log.filter(({ level }) => level === 'warning')).toEqual([]);
  });

  it('settle what runs before the host closes', async () => {
    await post({ wait: 'closing' });
    await start();
    await eventually(bodies).toHaveLength(1);
    const closed = host?.close();
    setTimeout(gate('closing').resolve, 100);
    await closed;
    expect(await countOf(incoming)).toBe(0);
  });

  it('say which setting is missing', async () => {
    await expect(start({}, { settings: {} })).rejects.toThrow('The app setting "FixtureStorage"');
  });

  it('go on when the storage was away', async () => {
    await start();
    await stopAzurite();
    await eventually(() => log.some(({ level }) => level === 'warning')).toBe(true);
    await startAzurite();
    await incoming.createIfNotExists();
    await post({ back: true });
    await eventually(bodies).toEqual([{ back: true }]);
  });
});

describe('polling', () => {
  it('backs off from 100 ms to the longest interval', () => {
    expect([0, 1, 2, 3, 4, 5, 9].map((empty) => pollingDelay(empty, 2000, 0.5))).toEqual([
      100, 200, 300, 500, 900, 1700, 2000,
    ]);
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 100, max: 60_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (empty, max, random) => {
          const ms = pollingDelay(empty, max, random);
          expect(ms).toBeGreaterThanOrEqual(100);
          expect(ms).toBeLessThanOrEqual(max);
        },
      ),
    );
  });
});
