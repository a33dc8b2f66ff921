import { chmod, mkdtemp } from 'node:fs/promises';
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

/** The folder of test clusters. Their names begin with `test-`. */
export const clusterParent = async () =>
  sharedFolder(await defaultIdentity(), [tmpdir(), '/tmp', '/var/tmp']);

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
  const dataDir = await mkdtemp(path.join(await clusterParent(), 'test-'));
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
