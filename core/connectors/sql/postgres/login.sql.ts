/**
 * The first kind of right beyond reading that the login, or a role that it is in, has in the database. Null if there is
 * none. Rights on temporary tables and large objects, which every login has, do not count. The login is the one of the
 * session: a default role of it, which it could leave, hides nothing. A routine with the rights of its owner counts if it
 * is volatile: others may not write, unless by one that is.
 */
export const WRITES = `
with member as (
  select oid, rolname, rolsuper or rolcreaterole or rolcreatedb or rolreplication as administers
    from pg_catalog.pg_roles where pg_has_role(session_user, oid, 'MEMBER')
), relation as (
  select c.oid, c.relkind, c.relowner, c.relacl
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
)
select case
  when exists (select from member where administers) then 'administrator'
  when exists (
    select from member where rolname in (
      'pg_write_all_data', 'pg_write_server_files', 'pg_execute_server_program', 'pg_create_subscription', 'pg_maintain',
      'pg_checkpoint', 'pg_signal_backend', 'pg_signal_autovacuum_worker'
    )
  ) or exists (select from pg_catalog.pg_auth_members a join member m on m.oid = a.member where a.admin_option) then 'role'
  when exists (
    select from pg_catalog.pg_database d join member m on m.oid = d.datdba where d.datname = current_database()
  ) or exists (select from pg_catalog.pg_namespace n join member m on m.oid = n.nspowner)
    or exists (select from relation c join member m on m.oid = c.relowner)
    or exists (select from pg_catalog.pg_proc p join member m on m.oid = p.proowner) then 'owner'
  when exists (select from member m where has_database_privilege(m.oid, current_database(), 'CREATE, CONNECT WITH GRANT OPTION'))
    then 'database'
  when exists (select from pg_catalog.pg_foreign_server s, member m where has_server_privilege(m.oid, s.oid, 'USAGE'))
    then 'server'
  when exists (
      select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
       where p.prosecdef and p.provolatile = 'v' and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
         and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
         and exists (select from member m where has_schema_privilege(m.oid, n.oid, 'USAGE'))
         and exists (select from member m where has_function_privilege(m.oid, p.oid, 'EXECUTE'))
    ) then 'routine'
  when exists (
    select from pg_catalog.pg_namespace n, member m
     where n.nspname !~ '^pg_(toast_)?temp_' and has_schema_privilege(m.oid, n.oid, 'CREATE, USAGE WITH GRANT OPTION')
  ) then 'schema'
  when exists (
    select from relation c, member m
     where c.relkind <> 'S'
       and has_table_privilege(m.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER, SELECT WITH GRANT OPTION')
  ) or exists (
    -- No release before 17 knows its name as a privilege.
    select from relation c, aclexplode(c.relacl) g
     where g.privilege_type = 'MAINTAIN' and (g.grantee = 0 or g.grantee in (select oid from member))
  ) then 'table'
  when exists (
    select from relation c join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attacl is not null, member m
     where not a.attisdropped and has_column_privilege(m.oid, c.oid, a.attnum, 'INSERT, UPDATE, SELECT WITH GRANT OPTION')
  ) then 'column'
  when exists (
    select from relation c, member m where c.relkind = 'S' and has_sequence_privilege(m.oid, c.oid, 'USAGE, UPDATE')
  ) then 'sequence'
end as by, current_setting('server_version_num')::int as version`;

/** The first release in which rights on parameters can be granted. */
export const PARAMETERS_FROM = 150_000;

/**
 * Whether the login may set parameters that are of superusers, such as those that write the server's log, or write the
 * configuration of the server (`ALTER SYSTEM`).
 */
export const SETS_PARAMETERS = `
select exists (
  select from pg_catalog.pg_parameter_acl p, aclexplode(p.paracl) g
   where g.grantee = 0
      or g.grantee in (select oid from pg_catalog.pg_roles where pg_has_role(session_user, oid, 'MEMBER'))
) as sets`;
