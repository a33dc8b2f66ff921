import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { dropDatabase, ensureDatabase, urlOf } from '../../core/db/provision.ts';
import { sql } from '../../core/db/sql.ts';
import { newId, type TenantId } from '../../core/kernel/ids.ts';
import { startRuntime } from '../../core/runtime.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { startService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Ready = { status: string; dbOk: boolean; problems: string[] };

let database: TestDatabase;
beforeAll(async () => {
  database = await createSeededDatabase();
});
afterAll(() => database?.drop());

/** A server of which only the address is known until `open` is called. Then it leads to the database. */
async function lateDatabase(url: string) {
  const behind = new URL(url);
  const sockets = new Set<Socket>();
  const made = (): Server =>
    createServer((caller) => {
      const server = connect({ host: behind.hostname, port: Number(behind.port) });
      for (const socket of [caller, server]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          caller.destroy();
          server.destroy();
        });
      }
      caller.pipe(server).pipe(caller);
    });
  const first = made();
  await once(first.listen(0, '127.0.0.1'), 'listening');
  const { port } = first.address() as AddressInfo;
  first.close();
  await once(first, 'close');
  let later: Server | undefined;
  const late = new URL(url);
  late.hostname = '127.0.0.1';
  late.port = String(port);
  return {
    url: late.href,
    open: async () => {
      later = made();
      await once(later.listen(port, '127.0.0.1'), 'listening');
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      later?.close();
    },
  };
}

/** A service over the database, as the Functions host starts it, and the answer to a question of readiness. */
async function started(url: string, settings: Record<string, string> = {}) {
  const service = await startService({ url }, settings);
  onTestFinished(() => service.close());
  await startRuntime();
  const ready = async () => {
    const { status, body } = await service.anonymous.get<Ready>('/api/ready');
    return [status, body.status, body.dbOk, body.problems];
  };
  return { ...service, ready };
}

const READY = [200, 'ok', true, []];
const units = async () => {
  const tenantId = newId('tnt', Date.now()) as TenantId;
  await makeCampaign(database.db, tenantId, await makeTenant(database, tenantId, Date.now()), 3, Date.now());
};
const touched = () =>
  database.inspect(sql`select 1 from work_units where status <> 'pending' or attempt > 0`);

test('a host that starts while the database is away waits, and says so', async () => {
  const late = await lateDatabase(database.url);
  onTestFinished(() => late.close());
  const { anonymous, ready, runtime } = await started(late.url);
  expect(await anonymous.get('/api/health')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  expect(await ready()).toEqual([503, 'degraded', false, ['database_away']]);
  const refused = await anonymous.post('/api/auth/dev/login', { principalId: PERSONA.auditor });
  expect(refused).toMatchObject({ status: 503, body: { error: 'overloaded' } });
  await late.open();
  await expect.poll(ready, { timeout: 10_000 }).toEqual(READY);
  await expect.poll(() => database.inspect(sql`select 1 from scanners`)).toHaveLength(1);
  expect((await anonymous.post('/api/auth/dev/login', { principalId: PERSONA.auditor })).status).toBe(200);
  expect(runtime().worker.problem()).toBeNull();
});

test('a host that lacks a migration leases nothing and answers 503 until it has it', async () => {
  await units();
  const [newest] = await database.inspect<{ name: string; checksum: string }>(sql`
    delete from schema_migrations where name = (select max(name) from schema_migrations) returning name, checksum`);
  const { anonymous, ready, drain } = await started(database.url);
  expect(await ready()).toEqual([503, 'degraded', false, ['schema_behind']]);
  const refused = await anonymous.post('/api/auth/dev/login', { principalId: PERSONA.auditor });
  expect(refused).toMatchObject({ status: 503, body: { error: 'overloaded' } });
  expect(await drain()).toBe(0);
  await sleep(100);
  expect(await touched()).toEqual([]);
  const { name, checksum } = newest ?? expect.unreachable();
  await database.inspect(sql`insert into schema_migrations values (${name}, ${checksum})`);
  await expect.poll(ready, { timeout: 10_000 }).toEqual(READY);
  expect(await drain()).toBeGreaterThan(0);
});

test('a host whose functions are those of the release before leases nothing', async () => {
  const checksumTo = (checksum: string) => sql`
    update schema_migrations set checksum = ${checksum} where name = 'functions/work.sql'`;
  const [own] = await database.inspect<{ checksum: string }>(
    sql`select checksum from schema_migrations where name = 'functions/work.sql'`,
  );
  const back = checksumTo(own?.checksum ?? expect.unreachable());
  await database.inspect(checksumTo('of the release before'));
  onTestFinished(async () => {
    await database.inspect(back);
  });
  const { ready, drain } = await started(database.url);
  expect(await ready()).toEqual([503, 'degraded', false, ['schema_behind']]);
  expect(await drain()).toBe(0);
  await database.inspect(back);
  await expect.poll(ready, { timeout: 10_000 }).toEqual(READY);
});

/** A database without a schema. */
async function emptyDatabase() {
  const cluster = inject('cluster');
  const name = `test_empty_${process.pid}_${empty++}`;
  await ensureDatabase(cluster.adminUrl, { name, owner: cluster.owner.name });
  onTestFinished(() => dropDatabase(cluster.adminUrl, name));
  const at = (login: typeof cluster.owner) => urlOf(cluster.adminUrl, { database: name, login });
  return { url: at(cluster.runtime), ownerUrl: at(cluster.owner) };
}
let empty = 0;

test('a host on a database that was never migrated says that it lacks migrations', async () => {
  const { ready } = await started((await emptyDatabase()).url);
  expect(await ready()).toEqual([503, 'degraded', false, ['schema_behind']]);
});

test('a host that may migrate makes the schema when it starts', async () => {
  const { url, ownerUrl } = await emptyDatabase();
  const { ready } = await started(url, { SVC_MIGRATION_DATABASE_URL: ownerUrl });
  await expect.poll(ready, { timeout: 60_000 }).toEqual(READY);
});

test('a host serves a schema that a later release has extended', async () => {
  await database.inspect(sql`insert into schema_migrations values ('9999_later.sql', 'abc')`);
  const [own] = await database.inspect<{ checksum: string }>(
    sql`select checksum from schema_migrations where name = 'functions/work.sql'`,
  );
  await database.inspect(
    sql`update schema_migrations set checksum = 'of the later release' where name = 'functions/work.sql'`,
  );
  onTestFinished(async () => {
    await database.inspect(
      sql`update schema_migrations set checksum = ${own?.checksum ?? expect.unreachable()} where name = 'functions/work.sql'`,
    );
    await database.inspect(sql`delete from schema_migrations where name = '9999_later.sql'`);
  });
  const { ready, signInAs } = await started(database.url);
  expect(await ready()).toEqual(READY);
  expect((await (await signInAs(PERSONA.auditor)).get('/api/assets')).status).toBe(200);
});
