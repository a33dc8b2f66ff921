import type { Client } from 'pg';

/**
 * Dumps the schema from the catalog like `pg_dump`, which the Postgres of the tests does not include: tables with
 * columns, constraints, indexes, policies and triggers, then functions, then privileges. Names are in a fixed order.
 */
export async function dumpSchema(client: Client): Promise<string> {
  // Writes all names with their schema.
  await client.query(`set search_path = pg_catalog`);
  const tables = await client.query<{ text: string }>(TABLES);
  const routines = await client.query<{ text: string }>(ROUTINES);
  const grants = await client.query<{ text: string }>(GRANTS);
  const roles = await client.query<{ text: string }>(ROLES);
  return [...tables.rows, ...routines.rows, { text: lines(grants.rows) }, { text: lines(roles.rows) }]
    .map(({ text }) => `${text}\n`)
    .join('\n');
}

const lines = (rows: { text: string }[]) => rows.map((row) => row.text).join('\n');

const TABLES = `
  select concat_ws(E'\\n',
    'create table ' || c.oid::regclass || ' (',
    (select string_agg('  ' || concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
              case when a.attnotnull then 'not null' end,
              case when a.attidentity <> '' then 'generated as identity (' || a.attidentity::text || ')' end,
              case when a.attgenerated = 's' then 'generated always as ' || pg_get_expr(d.adbin, d.adrelid) || ' stored'
                   else 'default ' || pg_get_expr(d.adbin, d.adrelid) end), E',\\n' order by a.attnum)
       from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    ');',
    case when c.relrowsecurity then 'row security' || case when c.relforcerowsecurity then ', forced' else '' end || ';' end,
    (select string_agg('constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid) || ';',
              E'\\n' order by k.conname collate "C")
       from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'),
    (select string_agg(pg_get_indexdef(i.indexrelid) || ';', E'\\n' order by i.indexrelid::regclass::text collate "C")
       from pg_index i
      where i.indrelid = c.oid and not exists (
        select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))),
    (select string_agg(concat_ws(' ', 'policy', quote_ident(p.policyname), lower(p.permissive), 'for', lower(p.cmd),
              'to', array_to_string(p.roles, ', '), 'using ' || p.qual, 'with check ' || p.with_check) || ';',
              E'\\n' order by p.policyname)
       from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname),
    (select string_agg(pg_get_triggerdef(t.oid) || ';', E'\\n' order by t.tgname)
       from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal),
    (select pg_get_viewdef(c.oid) where c.relkind in ('v', 'm'))) as text
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
  order by c.relname collate "C"`;

/** A placeholder for the owner of the database, whose name depends on the deployment. */
const OWNER = `(select datdba from pg_database where datname = current_database())`;

const ROUTINES = `
  select pg_get_functiondef(p.oid) || '-- runs as ' ||
         case when not p.prosecdef then 'its caller'
              when p.proowner = ${OWNER} then 'the owner of the database'
              else p.proowner::regrole::text end as text
  from pg_proc p
  where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by p.oid::regprocedure::text collate "C"`;

const GRANTS = `
  with acls (kind, object, owner, acl) as (
    select 'table', c.oid::regclass::text, c.relowner, c.relacl
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
    union all
    select 'column', a.attrelid::regclass || '.' || quote_ident(a.attname), c.relowner, a.attacl
      from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace = 'public'::regnamespace
    union all
    select 'routine', p.oid::regprocedure::text, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
      from pg_proc p where p.pronamespace = 'public'::regnamespace and not exists (
        select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union all
    select 'schema', n.nspname, n.nspowner, n.nspacl from pg_namespace n where n.nspname = 'public'
  )
  select format('grant %s on %s %s to %s;', string_agg(lower(a.privilege_type), ', ' order by a.privilege_type),
                kind, object, case when a.grantee = 0 then 'public' else a.grantee::regrole::text end) as text
    from acls, aclexplode(acl) as a
   where a.grantee <> acls.owner
   group by kind, object, a.grantee
   order by 1`;

const ROLES = `
  select concat_ws(' ', 'role', rolname, case when rolcanlogin then 'login' else 'nologin' end,
                   case when rolsuper then 'superuser' end, case when rolbypassrls then 'bypassrls' end,
                   case when rolcreaterole then 'createrole' end, case when rolcreatedb then 'createdb' end) || ';' as text
    from pg_roles where rolname like 'svc\\_%' order by rolname collate "C"`;
