import type { Client } from 'pg';

/** Prevents checkpoints during a fill, after which whole pages would be logged again. */
export async function setLogSize(client: Client, size: string): Promise<void> {
  await client.query(`alter system set max_wal_size = ${size === 'default' ? size : `'${size}'`}`);
  await client.query('select pg_reload_conf()');
}

/**
 * Drops the indexes of tables, except those of constraints and those by hash. Returns the statements that create them
 * again. The product's rebuild functions find the rows of an asset by hash: without these indexes, and without
 * statistics of the tables that they fill, they read all rows of the tenant for each asset.
 */
export async function withoutIndexes(client: Client, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; text: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as text
       from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam
      where i.indrelid = any($1::regclass[])
        and m.amname <> 'hash' and not exists (select from pg_constraint o where o.conindid = i.indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ text }) => text);
}
