import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { loadConfig } from '../../core/config/config.ts';
import { migrate } from '../../core/db/migrate.ts';
import { createPool } from '../../core/db/pool.ts';
import { ensureDatabase, ensureLogins, urlOf } from '../../core/db/provision.ts';
import { type Db, withEngineTx } from '../../core/db/tx.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import { closeRuntime, compose, useRuntime } from '../../core/runtime.ts';
import { takeBackLeases } from '../../core/work/lease.sql.ts';
import type { LocalBuckets } from '../../test/support/s3/local-buckets.ts';
import { startAzurite } from './azurite.ts';
import {
  azuriteIn,
  claimDataFolder,
  emptyDataFolder,
  forgetSettings,
  leaveSettings,
  postgresIn,
  refuseToScanDataFolder,
  secretsIn,
} from './data-folder.ts';
import { type FakeCloudName, startFakeCloud } from './fake-clouds.ts';
import { fixtureBlobs } from './fixture-blobs.ts';
import { fixtureTables } from './fixture-tables.ts';
import { refusePort } from './free-port.ts';
import { front } from './front.ts';
import { startFunctionsHost } from './functions-host.ts';
import { startPersonasProvider } from './personas-provider.ts';
import { startPostgres } from './postgres.ts';
import { DEVELOPMENT_TENANT_ID, seedDevelopmentTenant } from './seed.ts';

export type LocalStack = {
  url: string;
  /** URL of the runtime login, for inspection. */
  databaseUrl: string;
  /** Where people act as the users of the fake of a cloud; null without it. */
  actsUrl: string | null;
  stop(): Promise<void>;
};

export type StackOptions = {
  /** The checkout with `host.json` and `functions/`. */
  root: string;
  dataDir: string;
  /** 0 means any. */
  port: number;
  /** A folder to offer as an on-premises share. */
  share: string | null;
  /** Offers containers of the storage emulator with made-up files. */
  blob?: boolean;
  /** Offers buckets of a fake of S3 with made-up files. */
  s3?: boolean;
  /** Offers a database of the local Postgres with made-up tables. */
  sql?: boolean;
  /** Sign-in through a local identity provider, as in production, instead of the development sign-in. */
  idp?: boolean;
  /** Reads a fake of this cloud as if it were live. */
  fakeCloud?: FakeCloudName | null;
  /** Removes the data of earlier runs. */
  fresh: boolean;
  /** Aborts the start. Everything started so far is stopped in order, and the start rejects. */
  signal?: AbortSignal;
  log: (message: string) => void;
};

const DATABASE = 'governance';
/** The same each time, since the id of a scope has the port. If it is in use, another one is taken. */
const SQL_PORT = 9_072;
const AUDIT_KEY = 'SVC_LOCAL_AUDIT_SIGNING_KEY';

/** Starts Postgres, Azurite, migrations, the development tenant and the Functions host on loopback, in this order. */
export async function startStack(options: StackOptions): Promise<LocalStack> {
  const { root, dataDir, signal = new AbortController().signal, log } = options;
  await refusePort(options.port);
  const refuseOverlap = async () => {
    if (options.share !== null) await refuseToScanDataFolder(options.share, dataDir);
  };
  await refuseOverlap();
  await claimDataFolder(dataDir);
  if (options.fresh) await emptyDataFolder(dataDir);
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
    // In parallel, because they are independent. Azurite takes longest.
    const servers = [
      startPostgres({ dataDir: postgresIn(dataDir), port: options.sql ? SQL_PORT : 0, signal, log }),
      startAzurite({ dataDir: azuriteIn(dataDir), signal, log }),
    ] as const;
    for (const settled of await Promise.allSettled(servers)) {
      if (settled.status === 'fulfilled') stops.unshift(settled.value.stop);
    }
    const [postgres, storage] = await Promise.all(servers);
    // Checked again, because the cluster is in its final place now.
    await refuseOverlap();
    const owner = { name: 'svc_owner', password: secrets.owner };
    const runtime = { name: 'svc_runtime', password: secrets.runtime };
    const ownerUrl = urlOf(postgres.url, { database: DATABASE, login: owner });
    const databaseUrl = urlOf(postgres.url, { database: DATABASE, login: runtime });
    const provision = async () => {
      await ensureLogins(postgres.url, { owner, runtime });
      await ensureDatabase(postgres.url, { name: DATABASE, owner: owner.name });
      const applied = await migrate(ownerUrl, { runtimeLogin: runtime.name });
      if (applied.length > 0) log(`applied ${applied.length} migrations`);
      await prepare(ownerUrl, databaseUrl);
    };
    // Stopping the database ends and rolls back running transactions.
    await Promise.race([provision(), aborted(signal)]);
    const provider = options.idp === true ? await startPersonasProvider(options.port, ownerUrl) : null;
    if (provider !== null) stops.push(provider.close);
    // The service reads its configuration from the environment, as in a container.
    const cloud = options.fakeCloud ? await startFakeCloud(options.fakeCloud) : null;
    if (cloud !== null) stops.push(cloud.close);
    const buckets = options.s3 === true ? await startBuckets() : null;
    if (buckets !== null) stops.push(buckets.stop);
    const settings: Record<string, string> = {
      ...serviceSettings(secrets),
      SVC_DATABASE_URL: databaseUrl,
      SVC_MIGRATION_DATABASE_URL: ownerUrl,
      AzureWebJobsStorage: storage.connectionString,
      ...(options.share !== null && shareSettings(options.share)),
      ...(options.blob === true && (await fixtureBlobs(storage))),
      ...buckets?.settings,
      ...(options.sql === true && (await fixtureTables(postgres.url, secrets.reader))),
      ...provider?.settings,
      ...cloud?.settings,
      // Messages of the made-up company are mail and chat of Microsoft 365, of which the fake has its own.
      ...(options.fakeCloud !== 'graph' && fixtureMessages()),
    };
    Object.assign(process.env, settings);
    if (cloud !== null) {
      // No setting leads to another cloud, so the service is composed here with that of the fake.
      useRuntime(await compose(loadConfig(), systemClock, undefined, cloud.clouds));
      stops.push(closeRuntime);
    }
    const host = await startFunctionsHost({
      root,
      main: 'functions/**/*.ts',
      port: provider?.servicePort ?? options.port,
      settings: { AzureWebJobsStorage: storage.connectionString },
      ...front(provider === null ? 'dev' : 'idp'),
      signal,
      log: ({ level, message }) => {
        if (level === 'error' || level === 'critical') log(message);
      },
    });
    stops.push(host.close);
    // A fake cloud is known to this process alone.
    if (cloud === null) {
      await leaveSettings(dataDir, settings);
      stops.push(() => forgetSettings(dataDir));
    }
    cloud?.serve({ url: host.url, databaseUrl, tenantId: DEVELOPMENT_TENANT_ID });
    return { url: host.url, databaseUrl, actsUrl: cloud?.actsUrl ?? null, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The settings that do not depend on the options. */
const serviceSettings = (secrets: Secrets) => ({
  // Log lines would break the progress bar. Failures are reported at the end of the scan.
  SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL ?? 'error',
  // A fixed id, so that the fleet has one row for this data folder however often its process was killed.
  SVC_SCANNER_ID: process.env.SVC_SCANNER_ID ?? 'local',
  SVC_ENV: 'development',
  SVC_AUTH_MODE: 'dev',
  SVC_SESSION_SECRET: secrets.session,
  SVC_AUDIT_SIGNING_KEY_REF: process.env.SVC_AUDIT_SIGNING_KEY_REF ?? AUDIT_KEY,
  [AUDIT_KEY]: secrets.auditSigningKey,
  // Frequent, so that people who try it see the first checkpoint soon.
  SVC_AUDIT_CHECKPOINT_SCHEDULE: process.env.SVC_AUDIT_CHECKPOINT_SCHEDULE ?? '0 * * * * *',
});

/** The channels and mailboxes of the made-up company. */
const fixtureMessages = () => ({
  SVC_CHAT_ENABLED: process.env.SVC_CHAT_ENABLED ?? 'true',
  SVC_MAIL_ENABLED: process.env.SVC_MAIL_ENABLED ?? 'true',
});

/** As the fakes of clouds, it is with the tests. */
async function startBuckets(): Promise<LocalBuckets> {
  const { startLocalBuckets } = await import('../../test/support/s3/local-buckets.ts');
  return startLocalBuckets();
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** The folder itself is the root, because a list cannot contain every folder name. The slash preserves trailing spaces. */
const shareSettings = (folder: string) => ({
  SVC_SMB_ENABLED: 'true',
  SVC_SMB_ROOT: `${folder}/`,
  SVC_SMB_SHARES: '.',
});

async function prepare(ownerUrl: string, databaseUrl: string): Promise<void> {
  const [owner, runtime] = [ownerUrl, databaseUrl].map((url) =>
    createPool(url, { max: 1, applicationName: 'local-stack' }),
  ) as [Db, Db];
  try {
    await seedDevelopmentTenant(owner, Date.now());
    // The lock of the data folder means that every process that held a lease has ended.
    await withEngineTx(runtime, takeBackLeases);
  } finally {
    await Promise.all([owner.close(), runtime.close()]);
  }
}

type Secrets = {
  owner: string;
  runtime: string;
  /** Of the login that reads the made-up database. */
  reader: string;
  session: string;
  /** PKCS #8 in base64. */
  auditSigningKey: string;
};

/**
 * The passwords and keys of this data folder. They are generated once, so that sessions survive a restart and
 * checkpoints keep their key.
 */
async function keptSecrets(dataDir: string): Promise<Secrets> {
  const file = secretsIn(dataDir);
  const kept = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Partial<Secrets>,
    () => ({}),
  );
  const random = () => randomBytes(24).toString('base64url');
  const { privateKey } = generateKeyPairSync('ed25519');
  const secrets: Secrets = {
    owner: random(),
    runtime: random(),
    reader: random(),
    session: random(),
    auditSigningKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    // Secrets of an earlier release lack newer entries.
    ...kept,
  };
  if (Object.keys(kept).length < Object.keys(secrets).length) {
    await writeFile(file, JSON.stringify(secrets), { mode: 0o600 });
  }
  return secrets;
}
