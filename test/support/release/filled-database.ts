import { deepStrictEqual } from 'node:assert';
import { type Client, escapeIdentifier } from 'pg';
import { inTransactionOf, withClient } from '../../../core/db/client.ts';
import { migrate } from '../../../core/db/migrate.ts';
import { ensureDatabase, type Login, urlOf } from '../../../core/db/provision.ts';

/** All rows of a database, with the migrations that made its tables. */
export type FilledDatabase = {
  migrations: readonly { name: string; checksum: string }[];
  /** The last value of each sequence that was used. */
  sequences: Readonly<Record<string, string>>;
  tables: readonly FilledTable[];
};

/** Each row is the text of the whole record, as Postgres writes and reads it, so that no value is changed. */
type FilledTable = { table: string; columns: readonly string[]; rows: readonly string[] };

type Cluster = { adminUrl: string; owner: Login; runtime: Login };

const ROWS_AT_ONCE = 1_000;

/** Reads all rows in one snapshot, as superuser. The database may be in use. */
export const readRows = (adminUrl: string): Promise<FilledDatabase> =>
  withClient(adminUrl, (client) =>
    inTransactionOf(client, async () => {
      await client.query('set transaction isolation level repeatable read, read only');
      const migrations = await appliedTo(client);
      const { rows: sequences } = await client.query<{ name: string; value: string }>(
        `select sequencename as name, last_value::text as value from pg_sequences
          where schemaname = 'public' and last_value is not null order by 1`,
      );
      const tables: FilledTable[] = [];
      for (const table of await tablesOf(client))
        tables.push({ ...table, rows: await rowsOf(client, table) });
      return {
        migrations,
        sequences: Object.fromEntries(sequences.map((each) => [each.name, each.value])),
        tables,
      };
    }),
  );

async function appliedTo(client: Client): Promise<FilledDatabase['migrations']> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by name collate "C"',
  );
  return rows;
}

/** Tables with the columns that can be written, in a fixed order. */
async function tablesOf(client: Client): Promise<Omit<FilledTable, 'rows'>[]> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(`
    select c.relname as "table", array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     group by c.relname order by c.relname collate "C"`);
  return rows;
}

async function rowsOf(client: Client, { table }: { table: string }): Promise<string[]> {
  const { rows } = await client.query<{ row: string }>(
    `select t::text as "row" from ${escapeIdentifier(table)} t order by t::text collate "C"`,
  );
  return rows.map(({ row }) => row);
}

/**
 * Creates a database with the migrations that made the tables, then writes the rows. Triggers do not fire, because the
 * rows that they maintain are among them.
 * Throws if the migrations are not those that made the tables.
 * @param folders the migrations, in the order in which they were run
 * @returns URL of the superuser
 */
export async function restoreDatabase(
  { adminUrl, owner, runtime }: Cluster,
  name: string,
  filled: FilledDatabase,
  folders: readonly string[],
): Promise<string> {
  await ensureDatabase(adminUrl, { name, owner: owner.name });
  const ownerUrl = urlOf(adminUrl, { database: name, login: owner });
  for (const folder of folders) await migrate(ownerUrl, { runtimeLogin: runtime.name, folder });
  const url = urlOf(adminUrl, { database: name });
  await withClient(url, async (client) => {
    deepStrictEqual(await appliedTo(client), filled.migrations);
    await inTransactionOf(client, () => writeRows(client, filled));
    await client.query('analyze');
  });
  return url;
}

async function writeRows(client: Client, { sequences, tables }: FilledDatabase): Promise<void> {
  await client.query('set local session_replication_role = replica');
  for (const { table, columns, rows } of tables) {
    const name = escapeIdentifier(table);
    // Some migrations write rows.
    await client.query(`delete from ${name}`);
    const into = columns.map(escapeIdentifier).join(', ');
    const values = columns.map((column) => `(each.r).${escapeIdentifier(column)}`).join(', ');
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      // Without the offset, each column would parse the text again.
      await client.query(
        `insert into ${name} (${into}) overriding system value
         select ${values} from (select line::${name} as r from unnest($1::text[]) as line offset 0) as each`,
        [rows.slice(at, at + ROWS_AT_ONCE)],
      );
    }
  }
  for (const [name, value] of Object.entries(sequences))
    await client.query('select setval($1::regclass, $2)', [escapeIdentifier(name), value]);
}
