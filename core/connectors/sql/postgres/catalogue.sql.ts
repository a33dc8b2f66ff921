/** A row of `TABLES` and `TABLE`. Counts are texts. */
export type TableRow = {
  id: string;
  schema: string;
  name: string;
  kind: 'table' | 'view';
  structure: string;
  access: string;
  activity: string | null;
  sizeBytes: string;
};

/**
 * Tables and views that are not of the system, without partitions, which belong to their table. The catalogue alone is
 * read: no statement here waits for a lock on a table. A definition is compared as the server keeps it, since showing it
 * as text would lock what it names.
 */
const TABLE_COLUMNS = `
select c.oid::text as id, n.nspname::text as schema, c.relname::text as name,
       case when c.relkind in ('v', 'f') then 'view' else 'table' end as kind,
       md5(concat_ws('|', c.relkind, obj_description(c.oid, 'pg_class'), columns.text, keys.text, definition.text)) as structure,
       md5(concat_ws('|', c.relowner, c.relacl, n.nspowner, n.nspacl, c.relrowsecurity, c.relforcerowsecurity, columns.acl,
                     policies.text)) as access,
       case when c.relkind in ('r', 'p', 'm') and current_setting('track_counts') = 'on' then storage.activity end as activity,
       (storage.pages * current_setting('block_size')::bigint)::text as "sizeBytes"
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 cross join lateral (
   select string_agg(concat_ws('|', attnum, attname, format_type(atttypid, atttypmod), attnotnull,
                               col_description(attrelid, attnum)), E'\\n' order by attnum) as text,
          string_agg(attacl::text, E'\\n' order by attnum) as acl
     from pg_catalog.pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
 ) columns
 cross join lateral (
   select string_agg(concat_ws('|', contype, conkey, confrelid, confkey), E'\\n' order by oid) as text
     from pg_catalog.pg_constraint where conrelid = c.oid and contype in ('p', 'f', 'u')
 ) keys
 cross join lateral (
   select string_agg(md5(ev_action::text), E'\\n' order by oid) as text
     from pg_catalog.pg_rewrite where ev_class = c.oid and c.relkind in ('v', 'm')
 ) definition
 cross join lateral (
   select string_agg(concat_ws('|', polname, polcmd, polpermissive, polroles, md5(polqual::text), md5(polwithcheck::text)),
                     E'\\n' order by oid) as text
     from pg_catalog.pg_policy where polrelid = c.oid
 ) policies
 cross join lateral (
   with recursive part (oid) as (
     select c.oid
      union all
     select i.inhrelid from pg_catalog.pg_inherits i join part p on i.inhparent = p.oid where c.relkind = 'p'
   )
   select coalesce(sum(greatest(s.relpages, 0)), 0)::bigint as pages,
          md5(string_agg(concat_ws('|', s.relfilenode, pg_stat_get_tuples_inserted(s.oid), pg_stat_get_tuples_updated(s.oid),
                                   pg_stat_get_tuples_deleted(s.oid)), E'\\n' order by s.oid)) as activity
     from part p join pg_catalog.pg_class s on s.oid = p.oid
 ) storage
 where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
   and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'`;

/** Parameters: schemas or null, the id after which to go on or null, how many. */
export const TABLES = `${TABLE_COLUMNS}
   and ($1::text[] is null or n.nspname = any ($1::text[])) and ($2::oid is null or c.oid > $2::oid)
 order by c.oid limit $3::int`;

/** Parameter: the id. */
export const TABLE = `${TABLE_COLUMNS} and c.oid = $1::oid`;

/** Parameter: names. */
export const SCHEMAS = `select nspname::text as name from pg_catalog.pg_namespace where nspname = any ($1::text[])`;
