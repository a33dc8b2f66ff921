import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { migrate } from '../../core/db/migrate.ts';
import { createPool } from '../../core/db/pool.ts';
import { ensureDatabase, ensureLogins, urlOf } from '../../core/db/provision.ts';
import { type Db, withEngineTx } from '../../core/db/tx.ts';
import { takeBackLeases } from '../../core/work/lease.sql.ts';
import { startAzurite } from './azurite.ts';
import {
  azuriteIn,
  claimDataFolder,
  emptyDataFolder,
  postgresIn,
  refuseToScanDataFolder,
  secretsIn,
} from './data-folder.ts';
import { refusePort } from './free-port.ts';
import { front } from './front.ts';
import { startFunctionsHost } from './functions-host.ts';
import { startPersonasProvider } from './personas-provider.ts';
import { startPostgres } from './postgres.ts';
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
  /** Sign-in through an identity provider of its own, as in production, instead of the development sign-in. */
  idp?: boolean;
  /** Forget what earlier runs kept. */
  fresh: boolean;
  /** Ends the start: what has been started by then is stopped in order, and the start rejects. */
  signal?: AbortSignal;
  log: (message: string) => void;
};

const DATABASE = 'governance';
const AUDIT_KEY = 'SVC_LOCAL_AUDIT_SIGNING_KEY';

/** Postgres, Azurite, migrations, the development tenant and the Functions host, on loopback, in that order. */
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
    // Neither needs the other; Azurite takes longest.
    const servers = [
      startPostgres({ dataDir: postgresIn(dataDir), signal, log }),
      startAzurite({ dataDir: azuriteIn(dataDir), signal, log }),
    ] as const;
    for (const settled of await Promise.allSettled(servers)) {
      if (settled.status === 'fulfilled') stops.unshift(settled.value.stop);
    }
    const [postgres, storage] = await Promise.all(servers);
    // Again, now that the cluster is where it stays.
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
    // The database ends what is under way when it stops, and rolls it back.
    await Promise.race([provision(), aborted(signal)]);
    const provider = options.idp === true ? await startPersonasProvider(options.port, ownerUrl) : null;
    if (provider !== null) stops.push(provider.close);
    // The service reads its configuration from the environment, here as in a container.
    Object.assign(process.env, serviceSettings(secrets), {
      SVC_DATABASE_URL: databaseUrl,
      SVC_MIGRATION_DATABASE_URL: ownerUrl,
      AzureWebJobsStorage: storage.connectionString,
      ...(options.share !== null && shareSettings(options.share)),
      ...provider?.settings,
    });
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
    return { url: host.url, databaseUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What every start tells the service. */
const serviceSettings = (secrets: Secrets) => ({
  // Lines of the log would tear the progress bar; what failed is said at the end of the scan.
  SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL ?? 'error',
  // One row of the fleet for this data folder, however often its process was killed.
  SVC_SCANNER_ID: process.env.SVC_SCANNER_ID ?? 'local',
  SVC_ENV: 'development',
  SVC_AUTH_MODE: 'dev',
  SVC_SESSION_SECRET: secrets.session,
  SVC_AUDIT_SIGNING_KEY_REF: process.env.SVC_AUDIT_SIGNING_KEY_REF ?? AUDIT_KEY,
  [AUDIT_KEY]: secrets.auditSigningKey,
  // Whoever tries it out sees the first checkpoint soon.
  SVC_AUDIT_CHECKPOINT_SCHEDULE: process.env.SVC_AUDIT_CHECKPOINT_SCHEDULE ?? '0 * * * * *',
});

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** The folder is the root, since a list cannot name every folder; the slash keeps spaces at its end. */
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
    // The lock of the data folder says that whoever held a lease was killed.
    await withEngineTx(runtime, takeBackLeases);
  } finally {
    await Promise.all([owner.close(), runtime.close()]);
  }
}

type Secrets = {
  owner: string;
  runtime: string;
  session: string;
  /** PKCS #8 in base64. */
  auditSigningKey: string;
};

/** Passwords and keys of this data folder: made once, so that sessions survive a restart and checkpoints keep their key. */
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
    session: random(),
    auditSigningKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    // What an earlier release kept here lacks what it did not know of.
    ...kept,
  };
  if (Object.keys(kept).length < Object.keys(secrets).length) {
    await writeFile(file, JSON.stringify(secrets), { mode: 0o600 });
  }
  return secrets;
}
