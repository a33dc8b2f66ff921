/** One who can reach a table. `role`: the strongest that was granted. `isPublic`: every login. */
export type GrantRow = {
  name: string;
  isPublic: boolean;
  canLogin: boolean;
  role: 'read' | 'write' | 'owner';
  inherited: boolean;
  /** Whether the role itself may use the schema. */
  usesSchema: boolean;
  /** Whether row security may hide rows from it. */
  isFiltered: boolean;
};

/**
 * The owner, superusers, roles of the server that read or write all data and have members, and those to whom the table or
 * a column of it was granted. An empty list of grants means those of the owner. Parameters: id, how many.
 */
export const GRANTS = `
with relation as (
  select c.oid, c.relacl, c.relowner, c.relrowsecurity, c.relforcerowsecurity, n.oid as schema,
         coalesce(n.nspacl, acldefault('n', n.nspowner)) as schema_acl
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where c.oid = $1::oid and c.relkind in ('r', 'p', 'v', 'm', 'f')
), granted (grantee, strength, inherited) as (
  select relowner, 3, false from relation
   union all
  select g.grantee, case g.privilege_type when 'SELECT' then 1 else 2 end, false
    from relation, aclexplode(coalesce(relacl, acldefault('r', relowner))) g
   where g.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
   union all
  select g.grantee, case g.privilege_type when 'SELECT' then 1 else 2 end, false
    from relation r join pg_catalog.pg_attribute a on a.attrelid = r.oid and a.attacl is not null, aclexplode(a.attacl) g
   where g.privilege_type in ('SELECT', 'INSERT', 'UPDATE')
   union all
  select oid, 3, true from pg_catalog.pg_roles where rolsuper
   union all
  select oid, case rolname when 'pg_read_all_data' then 1 else 2 end, true
    from pg_catalog.pg_roles r
   where rolname in ('pg_read_all_data', 'pg_write_all_data')
     and exists (select from pg_catalog.pg_auth_members m where m.roleid = r.oid)
), strongest as (
  select grantee, max(strength) as strength, bool_and(inherited) as inherited from granted group by grantee
)
select coalesce(a.rolname, '')::text as name, s.grantee = 0 as "isPublic", coalesce(a.rolcanlogin, false) as "canLogin",
       (array['read', 'write', 'owner'])[s.strength] as role, s.inherited,
       case when s.grantee = 0
            then exists (select from aclexplode(r.schema_acl) u where u.grantee = 0 and u.privilege_type = 'USAGE')
            else s.inherited or has_schema_privilege(s.grantee, r.schema, 'USAGE') end as "usesSchema",
       r.relrowsecurity and not coalesce(a.rolsuper or a.rolbypassrls, false)
         and (s.strength < 3 or r.relforcerowsecurity) as "isFiltered"
  from relation r cross join strongest s left join pg_catalog.pg_roles a on a.oid = s.grantee
 where s.grantee = 0 or a.oid is not null
 order by s.grantee limit $2::int`;

/** Whether a table is of another server, which has grants of its own. Parameter: the id. No row if there is no such table. */
export const IS_FOREIGN = `
select relkind = 'f' as "isForeign" from pg_catalog.pg_class where oid = $1::oid and relkind in ('r', 'p', 'v', 'm', 'f')`;
