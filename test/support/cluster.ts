import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withClient } from '../../core/db/client.ts';
import { migrate } from '../../core/db/migrate.ts';
import { ensureDatabase, ensureLogins, type Login, urlOf } from '../../core/db/provision.ts';
import { removePostgres, startPostgres } from '../../infra/local/postgres.ts';
import { defaultIdentity, sharedFolder } from '../../infra/local/server-identity.ts';

/** A cluster with the two logins and a migrated template database, from which the databases of tests are copied. */
export type TestCluster = { adminUrl: string; owner: Login; runtime: Login; template: string };

const owner = { name: 'test_owner', password: 'test-owner' };
const runtime = { name: 'test_runtime', password: 'test-runtime' };
const template = 'test_template';

const GIB = 1024 ** 3;
/** A file system in memory, where a database of some hundred files is made and dropped much faster than on a disk. */
const IN_MEMORY = '/dev/shm';
/** A run has some hundred MiB of databases at a time, and at most 1 GiB of write-ahead log. */
const NEEDED_IN_MEMORY = 4 * GIB;
const NEEDED_BESIDE = 4 * GIB;
const ON_DISK = [tmpdir(), '/tmp', '/var/tmp'];

async function fitsInMemory(): Promise<boolean> {
  const { bavail, bsize } = await statfs(IN_MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= NEEDED_IN_MEMORY && process.availableMemory() >= NEEDED_IN_MEMORY + NEEDED_BESIDE;
}

/** Where a database may be that nobody needs after a crash of the machine. */
export const folderOfDatabases = async (): Promise<string> => ((await fitsInMemory()) ? IN_MEMORY : tmpdir());

const parentAmong = async (parents: readonly string[]) => sharedFolder(await defaultIdentity(), parents);

/** The folder of test clusters: in memory, if there is room and nothing needs to outlive a crash of the machine. */
const clusterParent = async (durable: boolean) =>
  parentAmong(!durable && (await fitsInMemory()) ? [IN_MEMORY, ...ON_DISK] : ON_DISK);

/** All folders that can hold test clusters. Their names begin with `test-`. */
export const clusterParents = () =>
  Promise.all([parentAmong(ON_DISK), parentAmong([IN_MEMORY, ...ON_DISK])]).then((found) => new Set(found));

/**
 * Starts a cluster in its own folder.
 * @param durable whether committed data survive a crash of the server
 */
export async function startTestCluster({ durable = false }: { durable?: boolean } = {}): Promise<{
  cluster: TestCluster;
  /** Stops the server with the signal (SIGINT: gracefully), and starts it again on the same port. */
  restart(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Stops the server and removes the folder. */
  remove(): Promise<void>;
}> {
  const dataDir = await mkdtemp(path.join(await clusterParent(durable), 'test-'));
  await chmod(dataDir, 0o711);
  const start = (port: number) => startPostgres({ dataDir, port, durable, log: () => undefined });
  let server = await start(0);
  const remove = async () => {
    await server.stop();
    await removePostgres(dataDir);
  };
  try {
    // Without autovacuum, each test controls the statistics of the planner.
    await withClient(server.url, async (admin) => {
      await admin.query('alter system set autovacuum = off');
      // Each new connection derives a key from the password so often. Tests open thousands.
      await admin.query('alter system set scram_iterations = 1');
      await admin.query('select pg_reload_conf()');
    });
    await ensureLogins(server.url, { owner, runtime });
    await ensureDatabase(server.url, { name: template, owner: owner.name });
    await migrate(urlOf(server.url, { database: template, login: owner }), { runtimeLogin: runtime.name });
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    cluster: { adminUrl: server.url, owner, runtime, template },
    restart: async (signal) => {
      process.kill(server.pid, signal);
      await server.stop();
      server = await start(server.port);
    },
    remove,
  };
}
