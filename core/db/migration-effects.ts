import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Locks that keep somebody waiting or that change rows, the strongest first, as `pg_locks` names them. */
export const LOCKS = [
  'AccessExclusiveLock',
  'ExclusiveLock',
  'ShareRowExclusiveLock',
  'ShareLock',
  'ShareUpdateExclusiveLock',
  'RowExclusiveLock',
] as const;
export type Lock = (typeof LOCKS)[number];

/** What a migration does to a table that existed before it. */
export type TableEffect = {
  /** The strongest lock that it holds until its end. */
  lock: Lock;
  /** Postgres writes the table and its indexes again. */
  rewrites?: true;
  /** Postgres reads the whole table. */
  scans?: true;
  /** It inserts, updates or deletes rows. */
  changesRows?: true;
  /** Indexes that it builds on the table. */
  indexes?: number;
};

export type MigrationEffect = {
  /** The number of statements of each kind, by the command tag of Postgres. */
  statements: Readonly<Record<string, number>>;
  tables: Readonly<Record<string, TableEffect>>;
};

/** What each migration was seen to do, by its file name. A test compares those since the release before. */
export type MigrationEffects = Readonly<Record<string, MigrationEffect>>;

export const EFFECTS_FILE = 'effects.json';

export async function readEffects(folder: string): Promise<MigrationEffects> {
  return JSON.parse(await readFile(path.join(folder, EFFECTS_FILE), 'utf8')) as MigrationEffects;
}
