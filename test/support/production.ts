import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { dropDatabase, ensureDatabase, urlOf } from '../../core/db/provision.ts';
import { startAzurite } from '../../infra/local/azurite.ts';
import { freePort } from '../../infra/local/free-port.ts';
import { type ProviderAccount, startIdentityProvider } from '../../infra/local/identity-provider.ts';
import { newAuditKey } from './audit-trail.ts';
import { buildService } from './build.ts';
import { type CommandResult, runCommand } from './run-command.ts';

/** A deployment: the build in production mode, its own empty database, a storage account and an identity provider. */
export type Production = {
  url: string;
  issuer: string;
  /** PEM of the key that the service signs checkpoints with. */
  auditPublicKey: string;
  /** Runs a built command with the settings of whoever deploys: `core/commands/NAME.js`. */
  command(name: string, ...args: string[]): Promise<CommandResult>;
  /** Starts the service with the settings of its process. */
  start(): Promise<void>;
  /** What the service has written to stdout and stderr. */
  logs(): string;
  stop(): Promise<void>;
};

const CLIENT = { clientId: 'governance', clientSecret: randomBytes(24).toString('base64url') };

/**
 * Prepares everything that a deployment needs, apart from the schema and the tenant. Nothing runs as in development:
 * the login that owns the schema is known to the commands alone.
 * @param accounts asked at each sign-in
 * @param settings of the sources and roles
 */
export async function prepareProduction(
  accounts: () => readonly ProviderAccount[],
  settings: Readonly<Record<string, string>>,
): Promise<Production> {
  const port = await freePort(0);
  const url = `http://127.0.0.1:${port}`;
  const redirectUri = `${url}/api/auth/idp/callback`;
  const [build, storage, provider, database] = await Promise.all([
    buildService(),
    startAzurite({ inMemory: true, log: () => undefined }),
    startIdentityProvider({
      port: 0,
      accounts,
      clients: [{ ...CLIENT, redirectUris: [redirectUri], postLogoutRedirectUris: [`${url}/`] }],
    }),
    emptyDatabase(),
  ]);
  const auditKey = newAuditKey();
  const environment = {
    SVC_ENV: 'production',
    SVC_AUTH_MODE: 'idp',
    SVC_SESSION_SECRET: randomBytes(32).toString('base64url'),
    SVC_DATABASE_URL: database.runtimeUrl,
    AzureWebJobsStorage: storage.connectionString,
    SVC_IDP_ISSUER: provider.issuer,
    SVC_IDP_CLIENT_ID: CLIENT.clientId,
    SVC_IDP_CLIENT_SECRET_REF: 'IDP_CLIENT_SECRET',
    IDP_CLIENT_SECRET: CLIENT.clientSecret,
    SVC_IDP_REDIRECT_URI: redirectUri,
    SVC_AUDIT_SIGNING_KEY_REF: 'AUDIT_SIGNING_KEY',
    AUDIT_SIGNING_KEY: auditKey.privateKey,
    SVC_AUDIT_CHECKPOINT_SCHEDULE: '* * * * * *',
    // Each thread loads every extractor and detector, for what is a handful of files here.
    SVC_EXTRACT_WORKERS: '1',
    ...settings,
  };
  let host: ChildProcess | undefined;
  let logs = '';
  return {
    url,
    issuer: provider.issuer,
    auditPublicKey: auditKey.publicKey,
    command: (name, ...args) =>
      runCommand(`${build.folder}/core/commands/${name}.js`, args, {
        env: { ...environment, SVC_MIGRATION_DATABASE_URL: database.ownerUrl },
      }),
    start: async () => {
      host = startHost(build.folder, port, environment);
      for (const stream of [host.stdout, host.stderr])
        stream?.on('data', (data) => {
          logs += data;
        });
      const ended = once(host, 'exit').then(() => Promise.reject(new Error(`The service ended:\n${logs}`)));
      await Promise.race([once(host, 'message'), ended]);
    },
    logs: () => logs,
    stop: async () => {
      if (host !== undefined) await endHost(host);
      await Promise.all([provider.close(), storage.stop(), build.remove()]);
      await database.drop();
    },
  };
}

async function emptyDatabase() {
  const { adminUrl, owner, runtime } = inject('cluster');
  const name = `production_${randomBytes(6).toString('hex')}`;
  await ensureDatabase(adminUrl, { name, owner: owner.name });
  return {
    ownerUrl: urlOf(adminUrl, { database: name, login: owner }),
    runtimeUrl: urlOf(adminUrl, { database: name, login: runtime }),
    drop: () => dropDatabase(adminUrl, name),
  };
}

const startHost = (build: string, port: number, environment: Readonly<Record<string, string>>) =>
  fork(fileURLToPath(new URL('./built-host.ts', import.meta.url)), [build, `${port}`], {
    execArgv: [],
    env: { ...environment, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });

async function endHost(host: ChildProcess): Promise<void> {
  if (host.exitCode !== null || host.signalCode !== null) return;
  const exited = once(host, 'exit');
  host.disconnect();
  await exited;
}
