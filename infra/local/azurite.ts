import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { acquireLock, acquireLockWithin } from './process-lock.ts';

export type LocalStorage = {
  /** Connection string of the storage account: blobs, queues and tables on loopback. */
  connectionString: string;
  /** Address of the account's blobs. */
  blobUrl: string;
  accountKey: string;
  queuePort: number;
  tablePort: number;
  pid: number | undefined;
  /** Writes the data and ends. May be called twice. */
  stop(): Promise<void>;
};

class PortTakenError extends Error {}

/** The persistent part of an account: a generated key, and ports that stay the same while they are free. */
type Account = { name: string; key: string; blobPort: number; queuePort: number; tablePort: number };

const READY_MS = 60_000;
const STOP_MS = 10_000;
const LISTENING =
  /Azurite (Blob|Queue|Table) service is successfully listening at http:\/\/127\.0\.0\.1:(\d+)/g;

/**
 * Starts Azurite, the emulator of Azure Storage, on loopback. With `dataDir`, it keeps its account, ports and data.
 * With `inMemory`, it keeps nothing. It ends with this process, however this process ends.
 * Throws `LockHeldError` if another process runs one on the same folder.
 */
export async function startAzurite(
  options: ({ dataDir: string } | { inMemory: true }) & {
    log: (message: string) => void;
    /** Aborts the start. */
    signal?: AbortSignal;
  },
): Promise<LocalStorage> {
  if ('inMemory' in options) {
    const started = await launch(newAccount(), null, options.signal);
    return handleOf(started, () => undefined, options.log);
  }
  const { dataDir, log } = options;
  await mkdir(dataDir, { recursive: true });
  const lock = acquireLock(lockOf(dataDir));
  try {
    const kept = (await readAccount(dataDir)) ?? newAccount();
    // Before the first message, so that data never exists without its key.
    await writeAccount(dataDir, kept);
    const started = await launch(kept, dataDir, options.signal);
    await writeAccount(dataDir, started.account);
    return handleOf(started, lock.release, log);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Removes the data of an emulator after a leftover one has written it. Throws `LockHeldError` if another process runs
 * one there.
 */
export async function removeAzurite(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const lock = acquireLock(lockOf(dataDir));
  try {
    const dataLock = await acquireLockWithin(dataLockOf(dataDir), STOP_MS);
    try {
      await rm(dataDir, { recursive: true });
    } finally {
      dataLock.release();
    }
  } finally {
    lock.release();
  }
}

/** Held by the process that starts the emulator. */
const lockOf = (dataDir: string) => path.join(dataDir, 'lock');
/** Held by the emulator, which can outlive its parent for a moment. */
const dataLockOf = (dataDir: string) => path.join(dataDir, 'data.lock');

const newAccount = (): Account => ({
  name: 'svclocal',
  key: randomBytes(64).toString('base64'),
  blobPort: 0,
  queuePort: 0,
  tablePort: 0,
});

const accountFile = (dataDir: string) => path.join(dataDir, 'account.json');

async function readAccount(dataDir: string): Promise<Account | null> {
  const text = await readFile(accountFile(dataDir), 'utf8').catch(() => null);
  // A folder of a former start has no port for blobs.
  type Kept = Omit<Account, 'blobPort'> & { blobPort?: number };
  return text === null ? null : { blobPort: 0, ...(JSON.parse(text) as Kept) };
}

async function writeAccount(dataDir: string, account: Account): Promise<void> {
  const making = `${accountFile(dataDir)}.making`;
  await writeFile(making, JSON.stringify(account), { mode: 0o600 });
  await rename(making, accountFile(dataDir));
}

async function launch(
  wanted: Account,
  dataDir: string | null,
  signal: AbortSignal | undefined,
): Promise<{ child: ChildProcess; account: Account }> {
  const child = await spawnChild(wanted, dataDir);
  try {
    return { child, account: { ...wanted, ...(await listeningPorts(child, signal)) } };
  } catch (error) {
    child.kill('SIGKILL');
    const keptPorts = wanted.blobPort !== 0 || wanted.queuePort !== 0 || wanted.tablePort !== 0;
    // Another process took a kept port after it was found free. Any ports will do then.
    if (error instanceof PortTakenError && keptPorts) {
      return launch({ ...wanted, blobPort: 0, queuePort: 0, tablePort: 0 }, dataDir, signal);
    }
    throw error;
  }
}

async function spawnChild(wanted: Account, dataDir: string | null): Promise<ChildProcess> {
  return fork(
    fileURLToPath(new URL('./azurite-child.ts', import.meta.url)),
    [
      dataDir === null ? '' : dataLockOf(dataDir),
      ...(dataDir === null ? ['--inMemoryPersistence'] : ['--location', path.join(dataDir, 'data')]),
      ...['--blobPort', `${await keptOrAny(wanted.blobPort)}`],
      ...['--queuePort', `${await keptOrAny(wanted.queuePort)}`],
      ...['--tablePort', `${await keptOrAny(wanted.tablePort)}`],
      ...['--silent', '--loose', '--skipApiVersionCheck', '--disableTelemetry'],
    ],
    {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH, AZURITE_ACCOUNTS: `${wanted.name}:${wanted.key}` },
      execArgv: [],
      // In its own session, so that Ctrl-C does not reach the service, which is still in use.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
}

/**
 * The kept port if it is free. Otherwise 0, so that the emulator takes a free port by itself and no other process can
 * take it before.
 */
const keptOrAny = async (kept: number): Promise<number> =>
  kept !== 0 && (await freePort(kept)) === kept ? kept : 0;

/**
 * Resolves when all three services listen. Rejects with `PortTakenError` if a port was in use. Later output of the child
 * is dropped.
 */
function listeningPorts(
  child: ChildProcess,
  signal: AbortSignal | undefined,
): Promise<Pick<Account, 'blobPort' | 'queuePort' | 'tablePort'>> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string) => {
      clearTimeout(timer);
      const message = `The local storage emulator ${why}:\n${output.slice(-2000)}`;
      reject(output.includes('EADDRINUSE') ? new PortTakenError(message) : new Error(message));
    };
    const timer = setTimeout(() => fail('did not get ready'), READY_MS);
    const abort = () => fail('was told to end');
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    child.once('error', (error) => fail(`did not start (${error.name})`));
    // On `close` and not on `exit`, because its last output may not have been read at its exit.
    child.once('close', () => fail('ended'));
    const read = (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-10_000);
      const ports = new Map(
        Array.from(output.matchAll(LISTENING), ([, service, port]) => [service, Number(port)]),
      );
      const blobPort = ports.get('Blob');
      const queuePort = ports.get('Queue');
      const tablePort = ports.get('Table');
      if (blobPort === undefined || queuePort === undefined || tablePort === undefined) return;
      clearTimeout(timer);
      for (const stream of [child.stdout, child.stderr]) stream?.off('data', read).resume();
      resolve({ blobPort, queuePort, tablePort });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
  });
}

function handleOf(
  { child, account }: Awaited<ReturnType<typeof launch>>,
  release: () => void,
  log: (message: string) => void,
): LocalStorage {
  const { name, key, blobPort, queuePort, tablePort } = account;
  const blobUrl = `http://127.0.0.1:${blobPort}/${name}`;
  let stopped: Promise<void> | undefined;
  child.once('exit', () => {
    if (stopped === undefined) log('The storage emulator has ended by itself.');
  });
  return {
    connectionString: [
      'DefaultEndpointsProtocol=http',
      `AccountName=${name}`,
      `AccountKey=${key}`,
      `BlobEndpoint=${blobUrl}`,
      `QueueEndpoint=http://127.0.0.1:${queuePort}/${name}`,
      `TableEndpoint=http://127.0.0.1:${tablePort}/${name}`,
    ].join(';'),
    blobUrl,
    accountKey: key,
    queuePort,
    tablePort,
    pid: child.pid,
    stop: () => {
      stopped ??= end(child).finally(release);
      return stopped;
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  // The closed channel tells it to end. An open channel would keep this process alive.
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(timer);
}
