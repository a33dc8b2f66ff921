import { chmod, chown, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withClient } from '../../core/db/client.ts';
import { type LocalPostgres, removePostgres, startPostgres } from '../../infra/local/postgres.ts';
import { defaultIdentity, type Identity } from '../../infra/local/server-identity.ts';

/** What a server makes again. Their content belongs to the running server. */
const EMPTIED = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
]);
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts']);

export type BaseBackup = {
  /** Starts a server of its own on the copy, which replays the archive up to a named point and goes on from there. */
  restore(point: string): Promise<LocalPostgres>;
  remove(): Promise<void>;
};

/** Makes a server archive its WAL into a folder beside its data, from its next start. Returns the folder. */
export async function archiveWal(adminUrl: string): Promise<string> {
  const archive = path.join(path.dirname(await dataFolderOf(adminUrl)), 'archive');
  await mkdir(archive);
  await own(archive, await defaultIdentity());
  const command = `test ! -f "${archive}/%f" && cp "%p" "${archive}/%f"`;
  await withClient(adminUrl, async (admin) => {
    await admin.query(`alter system set archive_mode = 'on'`);
    await admin.query(`alter system set archive_command = '${command}'`);
  });
  return archive;
}

/** Copies the data of a running server by its low-level backup functions, as base backups of Postgres do. */
export async function takeBaseBackup(adminUrl: string, archive: string): Promise<BaseBackup> {
  const from = await dataFolderOf(adminUrl);
  const identity = await defaultIdentity();
  // In the folder of the server, whose lock keeps other runs from removing it as abandoned.
  const dataDir = path.join(path.dirname(from), 'restored');
  const data = path.join(dataDir, 'cluster', 'data');
  await mkdir(path.dirname(data), { recursive: true });
  await chmod(dataDir, 0o711);
  await own(path.dirname(data), identity);
  await writeFile(path.join(dataDir, 'password'), decodeURIComponent(new URL(adminUrl).password));
  await withClient(adminUrl, async (admin) => {
    await admin.query(`select pg_backup_start('test', fast => true)`);
    await copyFolder(from, data, identity);
    const { rows } = await admin.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    await writeFile(path.join(data, 'backup_label'), rows[0]?.labelfile ?? '');
  });
  await writeFile(path.join(data, 'recovery.signal'), '');
  for (const name of ['backup_label', 'recovery.signal']) await own(path.join(data, name), identity);
  let server: LocalPostgres | undefined;
  return {
    restore: async (point) => {
      const settings = {
        archive_mode: 'off',
        restore_command: `cp "${archive}/%f" "%p"`,
        recovery_target_name: point,
        recovery_target_action: 'promote',
      };
      server = await startPostgres({ dataDir, settings, log: () => undefined });
      return server;
    },
    remove: async () => {
      await server?.stop();
      await removePostgres(dataDir);
    },
  };
}

/** Resolves once everything that is written now is in the archive. */
export async function archiveNow(adminUrl: string): Promise<void> {
  await withClient(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file');
    const isArchived = 'select from pg_stat_archiver where last_archived_wal >= $1';
    while ((await admin.query(isArchived, [rows[0]?.file])).rowCount === 0)
      await admin.query('select pg_sleep(0.02)');
  });
}

const dataFolderOf = (adminUrl: string): Promise<string> =>
  withClient(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ data_directory: string }>('show data_directory');
    return rows[0]?.data_directory ?? '';
  });

async function copyFolder(from: string, to: string, identity: Identity): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  await own(to, identity);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (LEFT_OUT.has(entry.name)) continue;
    if (EMPTIED.has(entry.name)) {
      await mkdir(target, { mode: 0o700 });
      await own(target, identity);
    } else if (entry.isDirectory()) await copyFolder(source, target, identity);
    else await copyOne(source, target, identity);
  }
}

/** Files come and go while the server runs. The WAL tells what became of one that is gone. */
async function copyOne(from: string, to: string, identity: Identity): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await own(to, identity);
}

const own = async (file: string, identity: Identity): Promise<void> => {
  if (identity !== undefined) await chown(file, identity.uid, identity.gid);
};
