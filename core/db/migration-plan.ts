import { inTransactionOf, withClient } from './client.ts';
import { migrationsFolder, pendingMigrations, readMigrations } from './migrate.ts';
import {
  type MigrationEffect,
  type MigrationEffects,
  readEffects,
  type TableEffect,
} from './migration-effects.ts';

/** The size of a table, as far as Postgres knows it. */
type TableSize = {
  /** An estimate, which needs no reading of the table. */
  rows: number;
  /** The rows, without indexes. */
  bytes: number;
  bytesWithIndexes: number;
};

export type PlannedTable = { table: string; effect: TableEffect; size: TableSize; seconds: Seconds };

export type PlannedMigration = {
  name: string;
  statements: MigrationEffect['statements'];
  /** Tables that exist now. */
  tables: PlannedTable[];
  seconds: Seconds;
};

/** The shortest and the longest time to expect. */
export type Seconds = { least: number; most: number };

/**
 * What one unit of work takes in seconds: processor time of Postgres for a table of 200,000 assets on two virtual cores
 * (docs/deployment.md). The longest time is for a slow disk and a busy server.
 */
const MEGABYTE = 1e6;
const SECONDS_PER = {
  byteRead: 1 / (1000 * MEGABYTE),
  byteIndexed: 1 / (150 * MEGABYTE),
  byteRewritten: 1 / (20 * MEGABYTE),
  rowChanged: 100e-6,
};
const SLOWER = 8;

/**
 * The migrations that the database lacks, with the locks that they take and the time that they take with the present
 * rows. Changes nothing and takes no lock that anybody waits for.
 * Throws `MigrationError` if an applied migration was edited.
 */
export async function planMigrations(
  url: string,
  { folder = migrationsFolder() }: { folder?: string } = {},
): Promise<PlannedMigration[]> {
  const migrations = await readMigrations(folder);
  const effects = await readEffects(folder);
  return withClient(url, (client) =>
    inTransactionOf(client, async () => {
      await client.query('set transaction read only');
      const pending = await pendingMigrations(client, migrations);
      const { rows } = await client.query<TableSize & { table: string }>(SIZES);
      const sizes = new Map(rows.map(({ table, ...size }) => [table, size]));
      return pending.map(({ name }) => planned(name, effects, sizes));
    }),
  );
}

const SIZES = `
  select c.relname as "table", greatest(c.reltuples, s.n_live_tup, 0)::float8 as rows,
         pg_table_size(c.oid)::float8 as bytes, pg_total_relation_size(c.oid)::float8 as "bytesWithIndexes"
    from pg_class c left join pg_stat_all_tables s on s.relid = c.oid
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`;

function planned(
  name: string,
  effects: MigrationEffects,
  sizes: ReadonlyMap<string, TableSize>,
): PlannedMigration {
  const { statements, tables } = effects[name] ?? { statements: {}, tables: {} };
  const found = Object.entries(tables).flatMap(([table, effect]): PlannedTable[] => {
    const size = sizes.get(table);
    return size === undefined ? [] : [{ table, effect, size, seconds: secondsOf(effect, size) }];
  });
  return { name, statements, tables: found, seconds: sumOf(found.map(({ seconds }) => seconds)) };
}

export function secondsOf(effect: TableEffect, { rows, bytes, bytesWithIndexes }: TableSize): Seconds {
  const least =
    (effect.scans === true ? bytes * SECONDS_PER.byteRead : 0) +
    (effect.rewrites === true ? bytesWithIndexes * SECONDS_PER.byteRewritten : 0) +
    (effect.indexes ?? 0) * bytes * SECONDS_PER.byteIndexed;
  // How many rows a statement changes is not known before: none or all.
  const all = effect.changesRows === true ? rows * SECONDS_PER.rowChanged : 0;
  return { least, most: (least + all) * SLOWER };
}

export const sumOf = (times: readonly Seconds[]): Seconds => ({
  least: times.reduce((sum, { least }) => sum + least, 0),
  most: times.reduce((sum, { most }) => sum + most, 0),
});
