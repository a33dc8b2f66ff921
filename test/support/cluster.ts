import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withClient } from '../../core/db/client.ts';
import { migrate } from '../../core/db/migrate.ts';
import { ensureDatabase, ensureLogins, type Login, urlOf } from '../../core/db/provision.ts';
import { removePostgres, startPostgres } from '../../infra/local/postgres.ts';
import { defaultIdentity, sharedFolder } from '../../infra/local/server-identity.ts';

/** A cluster with the two logins, and in it a migrated database that each test's own is copied from. */
export type TestCluster = { adminUrl: string; owner: Login; runtime: Login; template: string };

const owner = { name: 'test_owner', password: 'test-owner' };
const runtime = { name: 'test_runtime', password: 'test-runtime' };
const template = 'test_template';

/** Where clusters of tests are made, each in a folder whose name begins with `test-`. */
export const clusterParent = async () =>
  sharedFolder(await defaultIdentity(), [tmpdir(), '/tmp', '/var/tmp']);

/**
 * Starts a cluster in a folder of its own.
 * @param durable whether what was committed is still there after a crash of the server
 */
export async function startTestCluster({ durable = false }: { durable?: boolean } = {}): Promise<{
  cluster: TestCluster;
  /** Stops the server as the signal says (SIGINT: in order), and starts it again at the same port. */
  restart(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Stops the server and removes the folder. */
  remove(): Promise<void>;
}> {
  const dataDir = await mkdtemp(path.join(await clusterParent(), 'test-'));
  await chmod(dataDir, 0o711);
  const start = (port: number) => startPostgres({ dataDir, port, durable, log: () => undefined });
  let server = await start(0);
  const remove = async () => {
    await server.stop();
    await removePostgres(dataDir);
  };
  try {
    // What the planner knows of a table is what its test has it learn.
    await withClient(server.url, async (admin) => {
      await admin.query('alter system set autovacuum = off');
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
