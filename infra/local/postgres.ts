import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { createHome, type Home, keptData, openHome, removeHome, SUPERUSER } from './postgres-home.ts';
import { readPostmaster, stopLeftover, stopPostmaster } from './postgres-process.ts';
import { acquireLock } from './process-lock.ts';
import { spawnAs } from './server-identity.ts';

export type LocalPostgres = {
  /** URL of the superuser on loopback, with its password. */
  url: string;
  port: number;
  pid: number;
  /** Fast shutdown. The data stay. May be called twice. */
  stop(): Promise<void>;
};

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  shared_buffers: '128MB',
  unix_socket_directories: '',
  max_connections: '100',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Logs server messages, but no statements and values.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};
/** For data that may be lost. */
const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

const ATTEMPTS = 40;
const READY_MS = 120_000;

/**
 * Starts a Postgres on loopback with its data in `dataDir`. The first start creates the cluster. Stops a server that
 * an earlier run left behind.
 * Throws `LockHeldError` if another process runs one on the same folder.
 * @param port preferred port. If it is in use, another one is taken. 0 means any.
 * @param durable false for tests: nothing is flushed to disk
 * @param settings additional server settings
 * @param signal aborts the creation of a cluster
 */
export async function startPostgres({
  dataDir,
  port = 0,
  durable = true,
  settings = {},
  signal,
  log,
}: {
  dataDir: string;
  port?: number;
  durable?: boolean;
  settings?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  log: (message: string) => void;
}): Promise<LocalPostgres> {
  await mkdir(dataDir, { recursive: true });
  const lock = acquireLock(path.join(dataDir, 'lock'));
  try {
    const home = (await openHome(dataDir)) ?? (await createHome(dataDir, { durable, signal }));
    if (await stopLeftover(home.data)) log('Stopped the database server of an earlier run.');
    const all = { ...SETTINGS, ...(!durable && NOT_DURABLE), ...settings };
    const server = await launch(home, all, port, path.join(dataDir, 'postgres.log'));
    return handleOf(server, home.password, lock, log);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Removes a cluster and all its data, after stopping a leftover server. Throws `LockHeldError`. */
export async function removePostgres(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const lock = acquireLock(path.join(dataDir, 'lock'));
  try {
    const data = await keptData(dataDir);
    if (data !== null) await stopLeftover(data);
    await removeHome(dataDir);
  } finally {
    lock.release();
  }
}

type Server = { child: ChildProcess; pid: number; port: number };

async function launch(
  home: Home,
  settings: Record<string, string>,
  wantedPort: number,
  logFile: string,
): Promise<Server> {
  let wanted = wantedPort;
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(wanted);
    const child = await spawnServer(home, settings, port, logFile);
    const outcome = await readiness(child, home.data);
    if (outcome === 'ready' && child.pid !== undefined) return { child, pid: child.pid, port };
    const problem = await readFile(logFile, 'utf8');
    if (attempt < ATTEMPTS && /could not bind|could not create any TCP/.test(problem)) {
      // Another process took the port after it was found free.
      wanted = 0;
    } else if (attempt < ATTEMPTS && problem.includes('shared memory block')) {
      // Not all sessions of a killed server have ended yet.
      await sleep(250);
    } else {
      throw new Error(`The local database did not start:\n${problem.slice(-2000)}`);
    }
  }
}

async function spawnServer(
  home: Home,
  settings: Record<string, string>,
  port: number,
  logFile: string,
): Promise<ChildProcess> {
  const options = Object.entries({ ...settings, port: `${port}` });
  const output = await open(logFile, 'w', 0o600);
  try {
    return spawn(
      home.binaries.postgres,
      ['-D', home.data, ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      // In its own session, so that Ctrl-C does not reach the service, which is still in use.
      { ...spawnAs(home.identity), detached: true, stdio: ['ignore', output.fd, output.fd] },
    );
  } finally {
    await output.close();
  }
}

async function readiness(child: ChildProcess, data: string): Promise<'ready' | 'ended'> {
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  child.once('error', () => {
    ended = true;
  });
  const deadline = Date.now() + READY_MS;
  while (!ended) {
    const postmaster = await readPostmaster(data);
    if (postmaster?.pid === child.pid && postmaster?.ready === true) return 'ready';
    if (Date.now() > deadline) {
      if (child.pid !== undefined) await stopPostmaster(child.pid);
      break;
    }
    await sleep(10);
  }
  return 'ended';
}

function handleOf(
  { child, pid, port }: Server,
  password: string,
  lock: { release(): void },
  log: (message: string) => void,
): LocalPostgres {
  let stopped: Promise<void> | undefined;
  const stopWithUs = () => child.kill('SIGINT');
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  process.once('exit', stopWithUs);
  void ended.then(() => {
    process.off('exit', stopWithUs);
    if (stopped === undefined) log('The database server has ended by itself.');
  });
  return {
    url: `postgres://${SUPERUSER}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`,
    port,
    pid,
    stop: () => {
      stopped ??= stopPostmaster(pid)
        .then(() => ended)
        .finally(() => lock.release());
      return stopped;
    },
  };
}
