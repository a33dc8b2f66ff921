import type { Client } from 'pg';
import { inTransactionOf } from '../../core/db/client.ts';
import { type IndexStatement, runIndexStatements } from '../../core/db/concurrent-indexes.ts';
import type { Migration } from '../../core/db/migrate.ts';
import { LOCKS, type MigrationEffect, type TableEffect } from '../../core/db/migration-effects.ts';

/** A table as Postgres knows it inside a transaction. */
type TableState = {
  oid: number;
  table: string;
  /** Changes when the table is written again. */
  file: number;
  indexes: string[];
  /** Sequential scans and changed rows, as far as this session has counted them. */
  scans: number;
  changes: number;
};

const STATES = `
  select c.oid::int4 as oid, c.relname as "table", c.relfilenode::int4 as file,
         array(select i.indexrelid::text from pg_index i where i.indrelid = c.oid) as indexes,
         coalesce(s.seq_scan, 0)::int as scans, coalesce(s.n_tup_ins + s.n_tup_upd + s.n_tup_del, 0)::int as changes
    from pg_class c left join pg_stat_xact_all_tables s on s.relid = c.oid
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'`;

const HELD = `
  select relation::int4 as oid, array_agg(distinct mode) as modes from pg_locks
   where pid = pg_backend_pid() and locktype = 'relation' and granted group by relation`;

/** The connection of a client, which announces the tag of each statement. */
type Announcing = { connection: NodeJS.EventEmitter };

/**
 * Applies a migration as `migrate` does, and tells what it did: the kinds of its statements, and what happened to the
 * tables that existed before. A table from which it only read under no lock that anybody waits for is left out.
 */
export function observeMigration(
  client: Client,
  { text, indexes }: Pick<Migration, 'text' | 'indexes'>,
): Promise<MigrationEffect> {
  if (indexes !== null) return observeIndexes(client, indexes);
  return inTransactionOf(client, async () => {
    await client.query('set local search_path = public');
    const before = await statesIn(client);
    const statements = await tagsOf(client, () => client.query(text));
    const held = await heldBy(client);
    const after = await statesIn(client);
    const tables = [...held].flatMap(([oid, modes]): [string, TableEffect][] => {
      const [was, is] = [before.get(oid), after.get(oid)];
      const lock = LOCKS.find((each) => modes.includes(each));
      return was === undefined || lock === undefined
        ? []
        : [[was.table, { lock, ...workOf(was, is, modes) }]];
    });
    return {
      statements: sorted(Object.entries(statements)),
      tables: sorted(tables),
    };
  });
}

/** What one statement of a migration does to a table that existed before it. */
export type StatementEffect = { statement: string; table: string; effect: TableEffect };

/** A comment, a text, a name, a body between dollars, or anything else before the semicolon. */
const STATEMENT = /(?:--[^\n]*|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|[^;])+/g;

/** Applies a migration statement by statement in one transaction, and sees the locks that each takes and its work. */
export function observeStatements(client: Client, text: string): Promise<StatementEffect[]> {
  return inTransactionOf(client, async () => {
    await client.query('set local search_path = public');
    const seen: StatementEffect[] = [];
    for (const [statement] of text.matchAll(STATEMENT)) {
      if (statement.replace(/--[^\n]*/g, '').trim() === '') continue;
      const [before, heldBefore] = [await statesIn(client), await heldBy(client)];
      await client.query(statement);
      const [after, heldAfter] = [await statesIn(client), await heldBy(client)];
      for (const [oid, modes] of heldAfter) {
        const was = before.get(oid);
        const taken = modes.filter((mode) => heldBefore.get(oid)?.includes(mode) !== true);
        const work = was === undefined ? {} : workOf(was, after.get(oid), taken);
        const lock = LOCKS.find((each) => (Object.keys(work).length > 0 ? modes : taken).includes(each));
        if (was !== undefined && lock !== undefined)
          seen.push({ statement: statement.trim(), table: was.table, effect: { lock, ...work } });
      }
    }
    return seen;
  });
}

async function heldBy(client: Client): Promise<Map<number, string[]>> {
  const { rows } = await client.query<{ oid: number; modes: string[] }>(HELD);
  return new Map(rows.map(({ oid, modes }) => [oid, modes]));
}

/** Nobody can see the locks of a statement that runs concurrently after it: they are those of Postgres' manual. */
async function observeIndexes(client: Client, indexes: readonly IndexStatement[]): Promise<MigrationEffect> {
  const before = await statesIn(client);
  const statements = await tagsOf(client, () =>
    runIndexStatements(client, indexes, { watcher: client, report: () => undefined }),
  );
  const after = await statesIn(client);
  const tables = [...before].flatMap(([oid, was]): [string, TableEffect][] => {
    const { indexes: built } = workOf(was, after.get(oid), []);
    return built === undefined ? [] : [[was.table, { lock: 'ShareUpdateExclusiveLock', indexes: built }]];
  });
  return { statements: sorted(Object.entries(statements)), tables: sorted(tables) };
}

async function statesIn(client: Client): Promise<Map<number, TableState>> {
  const { rows } = await client.query<TableState>(STATES);
  return new Map(rows.map((row) => [row.oid, row]));
}

const sorted = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));

async function tagsOf(client: Client, run: () => Promise<unknown>): Promise<Record<string, number>> {
  const { connection } = client as unknown as Announcing;
  const tags: Record<string, number> = {};
  const count = ({ text: tag }: { text: string }) => {
    // With the number of rows, which depends on the data.
    const kind = tag.replace(/[\s\d]+$/, '');
    tags[kind] = (tags[kind] ?? 0) + 1;
  };
  connection.on('commandComplete', count);
  try {
    await run();
  } finally {
    connection.off('commandComplete', count);
  }
  return tags;
}

/** @param is undefined for a table that was dropped */
function workOf(was: TableState, is: TableState | undefined, modes: readonly string[]): Partial<TableEffect> {
  if (is === undefined) return {};
  const rewrites = is.file !== was.file;
  const changesRows = modes.includes('RowExclusiveLock') || is.changes > was.changes;
  const indexes = rewrites ? 0 : is.indexes.filter((index) => !was.indexes.includes(index)).length;
  return {
    ...(rewrites && { rewrites }),
    // To write it again or to build an index is to read it.
    ...(is.scans > was.scans && !rewrites && indexes === 0 && { scans: true }),
    ...(changesRows && { changesRows }),
    ...(indexes > 0 && { indexes }),
  };
}
