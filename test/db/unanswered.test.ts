import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createPool, type Db } from '../../core/db/pool.ts';
import { sql } from '../../core/db/sql.ts';
import { lookup, type Tx, withProvisioningTx, withTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** What a look-up waits for, and what any other statement does: 5 s longer than the server lets it run. */
const LOOKUP_MS = 3_000;
const STATEMENT_MS = 35_000;

const whoAmI = sql`select pg_backend_pid() as pid`;
type Backend = { pid: number };

let database: TestDatabase;
let server: Awaited<ReturnType<typeof startSilentServer>>;
/** Of one connection: whoever comes next would be given the one that hangs. */
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  server = await startSilentServer(new URL(database.url));
  // The sockets are real; only time is not.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  db = createPool(server.url, { max: 1, applicationName: 'test' });
});
afterEach(async () => {
  await db.close();
  vi.useRealTimers();
  server.close();
});
afterAll(() => database?.drop());

/** The database behind a server that can fall silent: what it is told then gets lost, and its connections stay open. */
async function startSilentServer(url: URL) {
  const sockets = new Set<Socket>();
  const silent = new Set<Socket>();
  const lost = Promise.withResolvers<void>();
  let isToFallSilent = false;
  const server = createServer((caller) => {
    const behind = connect({ host: url.hostname, port: Number(url.port) });
    const tie = (socket: Socket, other: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    };
    tie(caller, behind);
    tie(behind, caller);
    behind.on('data', (bytes) => caller.write(bytes));
    caller.on('data', (bytes) => {
      if (isToFallSilent) silent.add(caller);
      isToFallSilent = false;
      if (silent.has(caller)) lost.resolve();
      else behind.write(bytes);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const own = new URL(url);
  own.hostname = '127.0.0.1';
  own.port = String((server.address() as AddressInfo).port);
  return {
    url: own.href,
    /** Connections open now. */
    connections: () => sockets.size / 2,
    /** Loses what comes next, and all that follows on that connection. */
    fallSilent: () => {
      isToFallSilent = true;
    },
    /** Resolves once something was lost. */
    lost: lost.promise,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const backend = async () => (await lookup<Backend>(db, whoAmI))?.pid;
const inTx = <T>(mode: 'read' | 'write', fn: (tx: Tx) => Promise<T>) =>
  withTx(db, { tenantId: 'one' as TenantId, mode }, fn);

/** What the work has failed with, null while it has not; it must not resolve. */
function failureOf(work: Promise<unknown>): () => Error | null {
  let failure: Error | null = null;
  work.then(
    () => {
      failure = new Error('it was answered');
    },
    (error: Error) => {
      failure = error;
    },
  );
  return () => failure;
}

/** After `timeoutMs` since its statement got lost, and not before, the work fails. */
async function expectGivenUp(work: Promise<unknown>, timeoutMs: number) {
  const failure = failureOf(work);
  await server.lost;
  await vi.advanceTimersByTimeAsync(timeoutMs - 1);
  expect(failure()).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(failure()).toMatchObject({
    name: 'Unanswered',
    message: `The database has not responded within ${timeoutMs} ms`,
  });
}

/** The connection is closed, and who comes next has another, which stays. */
async function expectReplaced(former: number | undefined) {
  await vi.waitFor(() => expect(server.connections()).toBe(0));
  expect(db.pool.totalCount).toBe(0);
  const next = await backend();
  expect(next).toBeGreaterThan(0);
  expect(next).not.toBe(former);
  expect(await backend()).toBe(next);
}

test('a look-up that is not answered is given up, and its connection with it', async () => {
  const former = await backend();
  expect(await backend()).toBe(former);
  server.fallSilent();
  await expectGivenUp(lookup(db, whoAmI), LOOKUP_MS);
  await expectReplaced(former);
});

test('whoever waits for the connection gets a new one', async () => {
  const former = await backend();
  server.fallSilent();
  const hanging = lookup(db, whoAmI);
  const waiting = inTx('read', (tx) => tx.query<Backend>(whoAmI));
  await expectGivenUp(hanging, LOOKUP_MS);
  const [next] = await waiting;
  expect(next?.pid).toBeGreaterThan(0);
  expect(next?.pid).not.toBe(former);
});

test.each(['read', 'write'] as const)(
  'a statement of a transaction to %s is given up, and the work not done again',
  async (mode) => {
    const former = await backend();
    let runs = 0;
    const work = inTx(mode, async (tx) => {
      runs++;
      await tx.query(whoAmI);
      server.fallSilent();
      await tx.query(whoAmI);
    });
    await expectGivenUp(work, STATEMENT_MS);
    expect(runs).toBe(1);
    await expectReplaced(former);
  },
);

test('so is one whose beginning is not answered', async () => {
  const former = await backend();
  server.fallSilent();
  await expectGivenUp(
    inTx('write', (tx) => tx.query(whoAmI)),
    STATEMENT_MS,
  );
  await expectReplaced(former);
});

test('statements behind a refused begin do nothing, and the refusal is reported', async () => {
  const former = await backend();
  const work = withProvisioningTx(db, 'one' as TenantId, (tx) => tx.query(whoAmI));
  await expect(work).rejects.toThrow('permission denied to set role "svc_provision"');
  expect(await backend()).toBe(former);
});

test('so is one whose end is not answered', async () => {
  const former = await backend();
  const work = inTx('write', async (tx) => {
    await tx.query(whoAmI);
    server.fallSilent();
  });
  await expectGivenUp(work, STATEMENT_MS);
  await expectReplaced(former);
});

test('statements behind the one that is not answered are not waited for', async () => {
  const former = await backend();
  const work = inTx('read', (tx) => {
    server.fallSilent();
    return Promise.all([1, 2, 3].map(() => tx.query(whoAmI)));
  });
  await expectGivenUp(work, STATEMENT_MS);
  await expectReplaced(former);
});

/** Holds an advisory lock until the returned function is called or the test ends. */
async function holdLock(key: number) {
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const held = withTx(database.db, { tenantId: 'one' as TenantId, mode: 'write' }, async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${key})`);
    locked.resolve();
    await released.promise;
  });
  const release = () => {
    released.resolve();
    return held;
  };
  onTestFinished(release);
  await Promise.race([locked.promise, held]);
  return release;
}

test('the clock of a statement begins when the one before it is answered', async () => {
  const former = await backend();
  const releaseFirst = await holdLock(1);
  await holdLock(2);
  const sent = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const work = inTx('write', async (tx) => {
    await tx.query(whoAmI);
    const lock = (key: number) => tx.query(sql`select pg_advisory_xact_lock(${key})`);
    const both = [lock(1).then(() => answered.resolve()), lock(2)];
    sent.resolve();
    await Promise.all(both);
  });
  const failure = failureOf(work);
  await sent.promise;
  await vi.advanceTimersByTimeAsync(STATEMENT_MS - 1);
  await releaseFirst();
  await answered.promise;
  await vi.advanceTimersByTimeAsync(STATEMENT_MS - 1);
  expect(failure()).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(failure()).toMatchObject({ name: 'Unanswered' });
  await expectReplaced(former);
});

test.each([
  ['ignored', () => undefined],
  ['told as another one', () => Promise.reject(new Error('The work has failed'))],
])('its end is not waited for either where the failure was %s', async (_, made) => {
  const former = await backend();
  const work = inTx('write', async (tx) => {
    server.fallSilent();
    await tx.query(whoAmI).catch(made);
  });
  const failure = failureOf(work);
  await server.lost;
  await vi.advanceTimersByTimeAsync(STATEMENT_MS);
  expect(failure()?.message).toMatch(/has not responded|has failed/);
  await expectReplaced(former);
});

test('what is answered or refused in time leaves no clock behind', async () => {
  const former = await backend();
  // Those of the pool.
  const clocks = vi.getTimerCount();
  await inTx('read', (tx) => tx.query(whoAmI));
  await expect(inTx('read', (tx) => tx.query(sql`select 1 / 0`))).rejects.toThrow('division by zero');
  expect(await backend()).toBe(former);
  expect(vi.getTimerCount()).toBe(clocks);
});
