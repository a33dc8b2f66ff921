import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrationsFolder } from '../../core/db/migrate.ts';

export type MigrationFolder = {
  folder: string;
  /** Adds the migrations that `fits` accepts by their file names. */
  add(fits: (file: string) => boolean): Promise<void>;
  remove(): Promise<void>;
};

/** Makes an empty folder of migrations, to which those of another folder can be added one by one. */
export async function createMigrationFolder(from = migrationsFolder()): Promise<MigrationFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'migrations-'));
  const files = (await readdir(from)).filter((file) => file.endsWith('.sql')).sort();
  return {
    folder,
    add: async (fits) => {
      for (const file of files.filter(fits)) await symlink(path.join(from, file), path.join(folder, file));
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
