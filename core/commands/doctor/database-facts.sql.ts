import { sql } from '../../db/sql.ts';
import { type Db, lookup, withEngineTx } from '../../db/tx.ts';
import { listScanners } from '../../work/scanners.sql.ts';

/** What the server says of itself and of the login that asks. */
export type ServerFacts = {
  /** As `server_version_num`: 160004 is 16.4. */
  version: number;
  encrypted: boolean;
  /** Milliseconds. */
  now: number;
  autovacuum: boolean;
  /** Connections that this login can have in this database. */
  connections: number;
  isSuperuser: boolean;
  bypassesRowSecurity: boolean;
  createsRoles: boolean;
  /** Objects of this database that the login owns, and the database itself. */
  owned: number;
};

/** For every release of Postgres. */
export const readServerFacts = (db: Db): Promise<ServerFacts> =>
  found<ServerFacts>(
    lookup(
      db,
      sql`
    select current_setting('server_version_num')::int as version,
           coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted,
           (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
           current_setting('autovacuum')::bool and current_setting('track_counts')::bool as autovacuum,
           least(current_setting('max_connections')::int
                   - current_setting('superuser_reserved_connections')::int
                   - coalesce(current_setting('reserved_connections', true)::int, 0),
                 nullif(login.rolconnlimit, -1), nullif(base.datconnlimit, -1)) as connections,
           login.rolsuper as "isSuperuser", login.rolbypassrls as "bypassesRowSecurity",
           login.rolcreaterole as "createsRoles",
           (select count(*)::int from pg_shdepend d
             where d.refclassid = 'pg_authid'::regclass and d.refobjid = login.oid and d.deptype = 'o'
               and (d.dbid = base.oid or (d.classid = 'pg_database'::regclass and d.objid = base.oid))) as owned
      from pg_roles login, pg_database base
     where login.rolname = session_user and base.datname = current_database()`,
    ),
  );

/** The roles that the login may take. */
export type RoleFacts = {
  actsAsApp: boolean;
  actsAsEngine: boolean;
  actsAsSigner: boolean;
  inherits: boolean;
  others: number;
};

/** From Postgres 16. */
export const readRoleFacts = (db: Db): Promise<RoleFacts> =>
  found<RoleFacts>(
    lookup(
      db,
      sql`
    select coalesce(bool_or(granted.rolname = 'svc_app' and m.set_option), false) as "actsAsApp",
           coalesce(bool_or(granted.rolname = 'svc_engine' and m.set_option), false) as "actsAsEngine",
           coalesce(bool_or(granted.rolname = 'svc_signer' and m.set_option), false) as "actsAsSigner",
           coalesce(bool_or(m.inherit_option), false) as inherits,
           (count(distinct granted.oid) filter (
              where granted.rolname not in ('svc_app', 'svc_engine', 'svc_signer')))::int as others
      from pg_auth_members m
      join pg_roles granted on granted.oid = m.roleid
      join pg_roles login on login.oid = m.member
     where login.rolname = session_user`,
    ),
  );

/** What the login and the roles that it takes could put before names of the service. */
export type NameFacts = {
  /** Whether one of them may create temporary objects. */
  temporary: boolean;
  /** Whether one of them may create objects in the schema of the service. */
  lasting: boolean;
};

export const readNameFacts = (db: Db): Promise<NameFacts> =>
  found<NameFacts>(
    lookup(
      db,
      sql`
    select bool_or(has_database_privilege(oid, current_database(), 'temporary')) as temporary,
           bool_or(has_schema_privilege(oid, 'public', 'create')) as lasting
      from pg_roles where rolname = session_user or pg_has_role(session_user, oid, 'set')`,
    ),
  );

/** The tables of tenants, and those of the planner's statistics. */
export type TableFacts = {
  tables: number;
  /** Tables with a tenant whose row-level security is off, or does not hold for their owner. */
  unprotected: string[];
  /** Tables with many rows and without statistics. */
  unanalysed: string[];
};

/** Autovacuum analyses a table of this size long before. */
const MANY_ROWS = 10_000;

export const readTableFacts = (db: Db): Promise<TableFacts> =>
  found<TableFacts>(
    lookup(
      db,
      sql`
    with tenant_tables as (
      select t.relname::text as name, t.relrowsecurity and t.relforcerowsecurity as protected
        from pg_class t
        join pg_attribute c on c.attrelid = t.oid and c.attname = 'tenant_id' and not c.attisdropped
       where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p')
    )
    select (select count(*)::int from tenant_tables) as tables,
           array(select name from tenant_tables where not protected order by name) as unprotected,
           array(select relname::text from pg_stat_user_tables
                  where schemaname = 'public' and n_live_tup > ${MANY_ROWS}
                    and last_analyze is null and last_autoanalyze is null order by 1) as unanalysed`,
    ),
  );

/** What the login that owns the schema may do, and which database it is in. */
export type OwnerFacts = {
  isSuperuser: boolean;
  createsRoles: boolean;
  /** Whether it owns the schema; null if there is none yet. */
  owns: boolean | null;
  /** Whether it may make the first schema. */
  mayCreate: boolean;
  /** The same for all logins of one database of one running server. */
  database: string;
};

export const readOwnerFacts = (db: Db): Promise<OwnerFacts> =>
  found<OwnerFacts>(
    lookup(
      db,
      sql`
    select login.rolsuper as "isSuperuser", login.rolcreaterole as "createsRoles",
           (select pg_has_role(t.relowner, 'usage') from pg_class t
             where t.oid = to_regclass('public.schema_migrations')) as owns,
           has_database_privilege(base.oid, 'create') and has_schema_privilege('public', 'create') as "mayCreate",
           base.oid || '/' || extract(epoch from pg_postmaster_start_time()) as database
      from pg_roles login, pg_database base
     where login.rolname = session_user and base.datname = current_database()`,
    ),
  );

async function found<Row>(row: Promise<object | null>): Promise<Row> {
  const facts = await row;
  if (facts === null) throw new Error('The catalog does not hold the login');
  return facts as Row;
}

/** Processes of the fleet that hold connections now. */
export async function countProcesses(db: Db): Promise<number> {
  const scanners = await withEngineTx(db, (tx) => listScanners(tx, 'of the database'));
  return scanners.filter(({ status }) => status !== 'offline').length;
}
