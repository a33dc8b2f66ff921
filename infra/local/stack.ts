import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { migrate } from '../../core/db/migrate.ts';
import { createPool } from '../../core/db/pool.ts';
import { ensureDatabase, ensureLogins, urlOf } from '../../core/db/provision.ts';
import { withEngineTx } from '../../core/db/tx.ts';
import { takeBackLeases } from '../../core/work/lease.sql.ts';
import { startAzurite } from './azurite.ts';
import { startFunctionsHost } from './functions-host.ts';
import { removePostgres, startPostgres } from './postgres.ts';
import { seedDevelopmentTenant } from './seed.ts';

export type LocalStack = {
  url: string;
  /** The runtime login, for looking on. */
  databaseUrl: string;
  stop(): Promise<void>;
};

export type StackOptions = {
  /** Checkout: where `host.json` and `functions/` are. */
  root: string;
  dataDir: string;
  /** 0: any. */
  port: number;
  /** A folder to offer as an on-premises share. */
  share: string | null;
  /** Forget what earlier runs kept. */
  fresh: boolean;
  log: (message: string) => void;
};

const DATABASE = 'governance';

/** Postgres, Azurite, migrations, the development tenant and the Functions host, on loopback, in that order. */
export async function startStack(options: StackOptions): Promise<LocalStack> {
  const { root, dataDir, log } = options;
  if (options.fresh) await forget(dataDir);
  await mkdir(dataDir, { recursive: true });
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of stops.splice(0).reverse()) {
      await step().catch((error: unknown) =>
        log(`stopping: ${error instanceof Error ? error.message : 'failed'}`),
      );
    }
  };
  try {
    const secrets = await keptSecrets(dataDir);
    // Neither needs the other; Azurite takes longest.
    const [postgres, storage] = await Promise.all([
      startPostgres({ dataDir: path.join(dataDir, 'postgres'), log }).then((started) => {
        stops.unshift(started.stop);
        return started;
      }),
      startAzurite({ dataDir: path.join(dataDir, 'azurite'), log }).then((started) => {
        stops.unshift(started.stop);
        return started;
      }),
    ]);
    const owner = { name: 'svc_owner', password: secrets.owner };
    const runtime = { name: 'svc_runtime', password: secrets.runtime };
    await ensureLogins(postgres.url, { owner, runtime });
    await ensureDatabase(postgres.url, { name: DATABASE, owner: owner.name });
    const ownerUrl = urlOf(postgres.url, { database: DATABASE, login: owner });
    const databaseUrl = urlOf(postgres.url, { database: DATABASE, login: runtime });
    const applied = await migrate(ownerUrl, { runtimeLogin: runtime.name });
    if (applied.length > 0) log(`applied ${applied.length} migrations`);
    await prepare(databaseUrl);
    // The service reads its configuration from the environment, here as in a container.
    Object.assign(process.env, {
      SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL ?? 'warn',
      SVC_ENV: 'development',
      SVC_AUTH_MODE: 'dev',
      SVC_SESSION_SECRET: secrets.session,
      SVC_DATABASE_URL: databaseUrl,
      SVC_MIGRATION_DATABASE_URL: ownerUrl,
      AzureWebJobsStorage: storage.connectionString,
      ...(options.share !== null && shareSettings(options.share)),
    });
    const host = await startFunctionsHost({
      root,
      main: 'functions/**/*.ts',
      port: options.port,
      settings: { AzureWebJobsStorage: storage.connectionString },
      log: ({ level, message }) => {
        if (level === 'error' || level === 'critical') log(message);
      },
    });
    stops.push(host.close);
    return { url: host.url, databaseUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const shareSettings = (folder: string) => {
  const { dir, base, root } = path.parse(folder);
  const whole = base === '';
  return { SVC_SMB_ENABLED: 'true', SVC_SMB_ROOT: whole ? root : dir, SVC_SMB_SHARES: whole ? '.' : base };
};

async function prepare(databaseUrl: string): Promise<void> {
  const db = createPool(databaseUrl, { max: 2, applicationName: 'local-stack' });
  try {
    await seedDevelopmentTenant(db, Date.now());
    // The lock of the data folder says that whoever held a lease was killed.
    await withEngineTx(db, takeBackLeases);
  } finally {
    await db.close();
  }
}

type Secrets = { owner: string; runtime: string; session: string };

/** Passwords and the session secret of this data folder: made once, so that sessions survive a restart. */
async function keptSecrets(dataDir: string): Promise<Secrets> {
  const file = path.join(dataDir, 'secrets.json');
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Secrets;
  } catch {
    const random = () => randomBytes(24).toString('base64url');
    const secrets: Secrets = { owner: random(), runtime: random(), session: random() };
    await writeFile(file, JSON.stringify(secrets), { mode: 0o600 });
    return secrets;
  }
}

async function forget(dataDir: string): Promise<void> {
  await removePostgres(path.join(dataDir, 'postgres'));
  await rm(path.join(dataDir, 'azurite'), { recursive: true, force: true });
  await rm(path.join(dataDir, 'secrets.json'), { force: true });
}
