import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withClient } from '../../core/db/client.ts';
import { createPool } from '../../core/db/pool.ts';
import { ensureDatabase, urlOf } from '../../core/db/provision.ts';
import { startAzurite } from '../../infra/local/azurite.ts';
import { freePort } from '../../infra/local/free-port.ts';
import { seedDevelopmentTenant } from '../../infra/local/seed.ts';
import { newAuditKey } from '../support/audit-trail.ts';
import { startTestCluster } from '../support/cluster.ts';

/** The checkout, which is an app once it is built. */
export const APP = fileURLToPath(new URL('../..', import.meta.url));

/** What a process of the service stands on: a database with the development tenant, and a storage account. */
export type Ground = {
  readonly env: Readonly<Record<string, string>>;
  query<Row extends object>(text: string): Promise<Row[]>;
};

/** What the script has started. Everything ends in the reverse order. */
export type World = {
  /** A ground of its own. */
  ground(name: string): Promise<Ground>;
  /** Serves the built app by the local host. @returns its URL */
  localHost(ground: Ground): Promise<string>;
  end(): Promise<void>;
};

export async function createWorld(): Promise<World> {
  const ends: (() => Promise<unknown>)[] = [];
  const { cluster, remove } = await startTestCluster();
  ends.push(remove);
  const seeded = 'seeded';
  await ensureDatabase(cluster.adminUrl, {
    name: seeded,
    owner: cluster.owner.name,
    template: cluster.template,
  });
  const owner = createPool(urlOf(cluster.adminUrl, { database: seeded, login: cluster.owner }), {
    max: 1,
    applicationName: 'test',
  });
  await seedDevelopmentTenant(owner, Date.now()).finally(() => owner.close());
  const secrets = {
    SVC_SESSION_SECRET: randomBytes(32).toString('base64url'),
    SVC_AUDIT_SIGNING_KEY_REF: 'AUDIT_SIGNING_KEY',
    AUDIT_SIGNING_KEY: newAuditKey().privateKey,
  };

  return {
    async ground(name) {
      await ensureDatabase(cluster.adminUrl, { name, owner: cluster.owner.name, template: seeded });
      const storage = await startAzurite({ inMemory: true, log: () => undefined });
      ends.push(storage.stop);
      const adminUrl = urlOf(cluster.adminUrl, { database: name });
      return {
        env: {
          ...secrets,
          SVC_ENV: 'development',
          SVC_AUTH_MODE: 'dev',
          SVC_DATABASE_URL: urlOf(cluster.adminUrl, { database: name, login: cluster.runtime }),
          SVC_LOG_LEVEL: 'error',
          SVC_EXTRACT_WORKERS: '1',
          AzureWebJobsStorage: storage.connectionString,
        },
        query: <Row extends object>(text: string) =>
          withClient(adminUrl, async (client) => (await client.query<Row>(text)).rows),
      };
    },
    async localHost({ env }) {
      const port = await freePort(0);
      const script = fileURLToPath(new URL('../support/built-host.ts', import.meta.url));
      const host = fork(script, [path.join(APP, 'dist'), `${port}`], {
        execArgv: [],
        env,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      ends.push(() => endHost(host));
      const ended = once(host, 'exit').then(() => Promise.reject(new Error('The local host ended.')));
      await Promise.race([once(host, 'message'), ended]);
      ended.catch(() => undefined);
      return `http://127.0.0.1:${port}`;
    },
    async end() {
      for (const end of ends.splice(0).reverse()) await end();
    },
  };
}

async function endHost(host: ChildProcess): Promise<void> {
  if (host.exitCode !== null || host.signalCode !== null) return;
  const exited = once(host, 'exit');
  host.disconnect();
  await exited;
}
