import { chmod, mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../core/db/migrate.ts';
import { ensureDatabase, ensureLogins, type Login, urlOf } from '../../core/db/provision.ts';
import { removePostgres, startPostgres } from '../../infra/local/postgres.ts';
import { defaultIdentity, sharedFolder } from '../../infra/local/server-identity.ts';

/** What the test files are told of the cluster of this run. */
export type TestCluster = { adminUrl: string; owner: Login; runtime: Login; template: string };

declare module 'vitest' {
  interface ProvidedContext {
    cluster: TestCluster;
  }
}

const owner = { name: 'test_owner', password: 'test-owner' };
const runtime = { name: 'test_runtime', password: 'test-runtime' };
const template = 'test_template';
/** A run that was killed leaves its cluster behind; one that is only just starting is younger than this. */
const ABANDONED_MS = 60_000;

/** One cluster per run, and in it a migrated database that each test file's own is copied from. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const parent = await sharedFolder(await defaultIdentity(), [tmpdir(), '/tmp', '/var/tmp']);
  await removeAbandoned(parent);
  const dataDir = await mkdtemp(path.join(parent, 'test-'));
  await chmod(dataDir, 0o711);
  const server = await startPostgres({ dataDir, durable: false, log: () => undefined });
  const teardown = async () => {
    await server.stop();
    await removePostgres(dataDir);
  };
  try {
    await ensureLogins(server.url, { owner, runtime });
    await ensureDatabase(server.url, { name: template, owner: owner.name });
    await migrate(urlOf(server.url, { database: template, login: owner }), { runtimeLogin: runtime.name });
    project.provide('cluster', { adminUrl: server.url, owner, runtime, template });
  } catch (error) {
    await teardown();
    throw error;
  }
  return teardown;
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith('test-')) continue;
    const folder = path.join(parent, name);
    const stats = await stat(folder).catch(() => undefined);
    if (stats === undefined || Date.now() - stats.mtimeMs < ABANDONED_MS) continue;
    // One that is in use stays; so does one that will not go, which is no reason for this run to fail.
    await removePostgres(folder).catch(() => undefined);
  }
}
