import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { createConnection } from 'mysql2/promise';
import { vi } from 'vitest';
import { selfSigned } from '../certificate.ts';
import { folderOfDatabases } from '../cluster.ts';
import { type MariaDbPrograms, mariaDbPrograms } from './mariadb-programs.ts';

export type MariaDbServer = {
  port: number;
  /** Of its certificate, which is for `localhost`. */
  authority: string;
  /** Runs statements as the administrator, each with its rows. */
  administer(...statements: readonly string[]): Promise<Record<string, unknown>[][]>;
  /** A connection of the administrator that stays open. */
  session(): Promise<{ run(sql: string): Promise<void>; close(): Promise<void> }>;
  stop(): Promise<void>;
};

/** Starts Debian's MariaDB with an empty data folder, on loopback, with TLS if asked for. */
export async function startMariaDb({ tls }: { tls: boolean }): Promise<MariaDbServer> {
  const programs = await mariaDbPrograms();
  const folder = await mkdtemp(path.join(await folderOfDatabases(), 'test-mariadb-'));
  const { cert, key } = selfSigned(30);
  await writeFile(path.join(folder, 'cert.pem'), cert);
  await writeFile(path.join(folder, 'key.pem'), key);
  await makeData(programs, folder);
  const port = await freePort();
  const server = spawn(
    path.join(programs.root, 'usr/sbin/mariadbd'),
    argumentsOf(programs, folder, port, tls),
    {
      env: { ...process.env, LD_LIBRARY_PATH: programs.libraries },
      stdio: 'ignore',
    },
  );
  const open = () =>
    createConnection({
      host: 'localhost',
      port,
      user: 'root',
      ...(tls && { ssl: { ca: cert, verifyIdentity: true } }),
      multipleStatements: false,
    });
  const administer: MariaDbServer['administer'] = async (...statements) => {
    const connection = await open();
    try {
      const results: Record<string, unknown>[][] = [];
      for (const statement of statements) {
        const [rows] = await connection.query(statement);
        results.push(Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []);
      }
      return results;
    } finally {
      connection.destroy();
    }
  };
  await vi.waitFor(() => administer('SELECT 1'), { timeout: 60_000, interval: 100 });
  return {
    port,
    authority: cert,
    administer,
    session: async () => {
      const connection = await open();
      return {
        run: async (sql) => void (await connection.query(sql)),
        close: async () => connection.destroy(),
      };
    },
    stop: () => stop(server, folder),
  };
}

/** The user who runs the tests. The server runs as root only if it is asked to. */
const AS_USER = process.getuid?.() === 0 ? ['--user=root'] : [];

/** What `mariadb-install-db` does; it needs a program of another package. Only `root` is there, without a password. */
async function makeData({ root, libraries }: MariaDbPrograms, folder: string): Promise<void> {
  const data = path.join(folder, 'data');
  await mkdir(data);
  const share = path.join(root, 'usr/share/mysql');
  const parts = ['mysql_system_tables', 'mysql_performance_tables', 'mysql_system_tables_data'];
  const tables = await Promise.all(parts.map((part) => readFile(path.join(share, `${part}.sql`), 'utf8')));
  const server = spawn(
    path.join(root, 'usr/sbin/mariadbd'),
    ['--no-defaults', '--bootstrap', `--basedir=${path.join(root, 'usr')}`, `--datadir=${data}`, ...AS_USER],
    { env: { ...process.env, LD_LIBRARY_PATH: libraries }, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  server.stdin.end(
    ['CREATE DATABASE mysql;', 'USE mysql;', 'SET @auth_root_socket = NULL;', ...tables].join('\n'),
  );
  const [code] = await once(server, 'exit');
  if (code !== 0) throw new Error(`MariaDB made no data folder: ${code}`);
}

const argumentsOf = ({ root }: MariaDbPrograms, folder: string, port: number, tls: boolean): string[] => [
  '--no-defaults',
  `--basedir=${path.join(root, 'usr')}`,
  `--datadir=${path.join(folder, 'data')}`,
  `--socket=${path.join(folder, 'socket')}`,
  `--pid-file=${path.join(folder, 'pid')}`,
  `--log-error=${path.join(folder, 'log')}`,
  '--bind-address=127.0.0.1',
  `--port=${port}`,
  ...(tls
    ? [`--ssl-cert=${path.join(folder, 'cert.pem')}`, `--ssl-key=${path.join(folder, 'key.pem')}`]
    : []),
  '--table-open-cache=400',
  // What is lost with the machine is lost.
  '--sync-frm=0',
  '--innodb-flush-method=nosync',
  '--innodb-doublewrite=0',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-buffer-pool-size=256M',
  '--innodb-log-file-size=256M',
  ...AS_USER,
];

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const closed = once(probe, 'close');
  probe.close();
  await closed;
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function stop(server: ChildProcess, folder: string): Promise<void> {
  if (server.exitCode === null) {
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
}
