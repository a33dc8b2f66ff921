import { withClient } from '../../core/db/client.ts';

/** Bytes of each table with its indexes and long values, and `all` for the whole database. */
export type DiskUse = ReadonlyMap<string, number>;

export const diskUse = (adminUrl: string): Promise<DiskUse> =>
  withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ name: string; bytes: number }>(`
      select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'm') and n.nspname not like 'pg_%' and n.nspname <> 'information_schema'
      union all select 'all', pg_database_size(current_database())::float8`);
    return new Map(rows.map(({ name, bytes }) => [name, bytes]));
  });

/** How much each table has grown for one asset, the largest first. */
export const grownBy = (
  before: DiskUse,
  after: DiskUse,
  assets: number,
): { table: string; bytes: number }[] =>
  [...after]
    .map(([table, bytes]) => ({ table, bytes: Math.round((bytes - (before.get(table) ?? 0)) / assets) }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);
