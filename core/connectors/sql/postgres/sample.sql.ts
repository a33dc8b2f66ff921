import { escapeIdentifier } from 'pg';
import { MAX_VALUE } from '../engine.ts';

/** What is known of a table before it is sampled. Counts are texts. */
export type TableHead = {
  schema: string;
  name: string;
  /** As `pg_class.relkind`. */
  kind: 'r' | 'p' | 'v' | 'm' | 'f';
  comment: string | null;
  /** Null if the table was never analysed. */
  estimatedRows: string | null;
  /** Blocks now. 0 for a view. */
  blocks: string;
};

/** Waits for a lock on the table, as the sample would. Parameter: the id. */
export const HEAD = `
with recursive part (oid) as (
  select $1::oid
   union all
  select i.inhrelid from pg_catalog.pg_inherits i join part p on i.inhparent = p.oid
    join pg_catalog.pg_class c on c.oid = i.inhrelid and c.relispartition
), storage as (
  select sum(s.reltuples) filter (where s.reltuples >= 0 and s.relkind <> 'p')::bigint as rows,
         sum(pg_relation_size(s.oid)) / current_setting('block_size')::bigint as blocks
    from part p join pg_catalog.pg_class s on s.oid = p.oid and s.relkind in ('r', 'p', 'm')
)
select n.nspname::text as schema, c.relname::text as name, c.relkind::text as kind, obj_description(c.oid, 'pg_class') as comment,
       storage.rows::text as "estimatedRows", coalesce(storage.blocks, 0)::bigint::text as blocks
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace cross join storage
 where c.oid = $1::oid and c.relkind in ('r', 'p', 'v', 'm', 'f')`;

export type ColumnRow = {
  name: string;
  type: string;
  comment: string | null;
  key: 'primary' | 'foreign' | null;
  isBinary: boolean;
  isReadable: boolean;
};

/** Parameter: the id. */
export const COLUMNS = `
select a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type, col_description(a.attrelid, a.attnum) as comment,
       case when exists (select from pg_catalog.pg_constraint k
                          where k.conrelid = a.attrelid and k.contype = 'p' and a.attnum = any (k.conkey)) then 'primary'
            when exists (select from pg_catalog.pg_constraint k
                          where k.conrelid = a.attrelid and k.contype = 'f' and a.attnum = any (k.conkey)) then 'foreign'
       end as key,
       coalesce(nullif(t.typbasetype, 0), t.oid) = 'bytea'::regtype as "isBinary",
       has_column_privilege(a.attrelid, a.attnum, 'SELECT') as "isReadable"
  from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
 where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped
 order by a.attnum`;

/** Which part of a table is read. */
export type Part =
  /** The first rows. */
  | { method: 'first' }
  /** `system` picks blocks and reads these alone; `bernoulli` reads all blocks and picks rows. `percent`: above 0, to 100. */
  | { method: 'system' | 'bernoulli'; percent: number; seed: number };

/**
 * A cursor over a part of a table. Names are those of the catalogue. Values are cut on the server; a column that the login
 * may not read is null. Rows of tables that inherit from this one belong to them.
 */
export function declareSample(
  head: Pick<TableHead, 'schema' | 'name' | 'kind'>,
  columns: readonly ColumnRow[],
  part: Part,
  limit: number,
): string {
  const only = head.kind === 'r' ? 'only ' : '';
  const sample =
    part.method === 'first'
      ? ''
      : ` tablesample ${part.method} (${decimal(part.percent)}) repeatable (${Math.trunc(part.seed)})`;
  return `declare sample no scroll cursor for
    select ${columns.map(valueIn).join(', ')}
      from ${only}${escapeIdentifier(head.schema)}.${escapeIdentifier(head.name)}${sample} limit ${Math.trunc(limit)}`;
}

export const fetchSample = (rows: number): string => `fetch forward ${Math.trunc(rows)} from sample`;
export const CLOSE_SAMPLE = 'close sample';

/** Without an exponent. The smallest share of blocks is one of the largest table, which has 2^32. */
const decimal = (percent: number): string => Math.min(100, Math.max(percent, 1e-8)).toFixed(10);

function valueIn({ name, isBinary, isReadable }: ColumnRow): string {
  if (!isReadable) return 'null';
  const column = escapeIdentifier(name);
  // Two letters a byte, after a mark of two.
  if (isBinary) return `'\\x' || encode(substring(${column} from 1 for ${MAX_VALUE / 2 - 1}), 'hex')`;
  return `left(${column}::text, ${MAX_VALUE})`;
}
