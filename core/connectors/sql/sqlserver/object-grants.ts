import type { Grant, Permissions } from '../../connector.ts';
import type { MemberRow, PrincipalRow, RightRow } from './sqlserver.sql.ts';

/** Principals by id, and who is in which role, also through other roles. Everybody is in `public`. */
export type Principals = {
  byId: ReadonlyMap<number, PrincipalRow>;
  /** With the principal itself. */
  rolesOf: ReadonlyMap<number, readonly number[]>;
  /** Those of `public` are not listed one by one. */
  membersOf: ReadonlyMap<number, readonly number[]>;
};

export function principalsOf(rows: readonly PrincipalRow[], members: readonly MemberRow[]): Principals {
  const everybody = rows.filter(isPublic).map(({ principal_id: id }) => id);
  const direct = Map.groupBy(members, ({ member_id: id }) => id);
  const rolesOf = new Map<number, readonly number[]>();
  const membersOf = new Map<number, number[]>();
  for (const { principal_id: id } of rows) {
    const roles = new Set([id, ...everybody]);
    // A set that grows while it is walked is walked to its end.
    for (const each of roles) for (const { role_id: role } of direct.get(each) ?? []) roles.add(role);
    rolesOf.set(id, [...roles]);
    for (const role of roles)
      if (role !== id && !everybody.includes(role)) membersOf.set(role, [...(membersOf.get(role) ?? []), id]);
  }
  return { byId: new Map(rows.map((row) => [row.principal_id, row])), rolesOf, membersOf };
}

/** What the catalogue shows of who may do what. */
export type DatabaseRights = { principals: Principals; rights: readonly RightRow[] };

export type GrantedTable = { objectId: number; schemaId: number; ownerId: number };

type Role = Grant['role'];

/** Fixed roles have no rows of rights. What they may do is documented. */
const FIXED: Readonly<Record<string, Role>> = {
  db_owner: 'owner',
  db_datareader: 'read',
  db_datawriter: 'write',
  db_ddladmin: 'write',
};
const FIXED_DENIALS: Readonly<Record<string, Role>> = {
  db_denydatareader: 'read',
  db_denydatawriter: 'write',
};

const ROLE_OF: Readonly<Record<string, Role>> = {
  SELECT: 'read',
  INSERT: 'write',
  UPDATE: 'write',
  DELETE: 'write',
  ALTER: 'write',
  CONTROL: 'owner',
  'TAKE OWNERSHIP': 'owner',
};
const DATABASE = 0;
const OBJECT = 1;
const SCHEMA = 3;

/**
 * Who can read or change a table. A denial wins over each grant that the same principal, or a role of it, has. Never
 * complete: rights on the server, members of groups and readers through views and procedures are not shown.
 */
export function objectGrants({ principals, rights }: DatabaseRights, table: GrantedTable): Permissions {
  const { byId, rolesOf, membersOf } = principals;
  const here = rights.filter((right) => concerns(right, table));
  const denied = denials(here, [...byId.values()]);
  const grants = new Map<string, Grant>();
  const add = (id: number, role: Role, inherited: boolean) => {
    const principal = byId.get(id);
    if (principal === undefined) return;
    if (rolesOf.get(id)?.some((each) => denied.has(`${each} ${role}`))) return;
    grants.set(`${principal.name} ${role} ${inherited}`, { ...shownAs(principal), role, inherited });
  };
  const addWithMembers = (id: number, role: Role, inherited: boolean) => {
    add(id, role, inherited);
    // Members have it through the role, so it is not theirs alone.
    for (const member of membersOf.get(id) ?? []) add(member, role, true);
  };
  addWithMembers(table.ownerId, 'owner', true);
  for (const { principal_id: id, name } of byId.values()) {
    const role = FIXED[name];
    if (role !== undefined) addWithMembers(id, role, true);
  }
  for (const { class: level, grantee_id: id, permission_name: permission, state } of here) {
    const role = ROLE_OF[permission];
    if (role !== undefined && state !== 'D') addWithMembers(id, role, level !== OBJECT);
  }
  return { grants: [...grants.values()], complete: false };
}

function concerns({ class: level, major_id: id }: RightRow, { objectId, schemaId }: GrantedTable): boolean {
  if (level === DATABASE) return true;
  return level === SCHEMA ? id === schemaId : level === OBJECT && id === objectId;
}

/** `ID ROLE` of what is denied for the whole table. A denial of some columns leaves the others. */
function denials(here: readonly RightRow[], principals: readonly PrincipalRow[]): ReadonlySet<string> {
  const denied = new Set<string>();
  for (const { minor_id: column, grantee_id: id, permission_name: permission, state } of here) {
    const role = ROLE_OF[permission];
    if (state !== 'D' || column !== 0 || role === undefined) continue;
    // One of the rights to write may be left. What denies control denies all.
    const roles: readonly Role[] =
      role === 'owner' ? ['read', 'write', 'owner'] : role === 'read' ? ['read'] : [];
    for (const each of roles) denied.add(`${id} ${each}`);
  }
  for (const { principal_id: id, name } of principals) {
    const role = FIXED_DENIALS[name];
    if (role !== undefined) denied.add(`${id} ${role}`);
  }
  return denied;
}

const isPublic = ({ name }: PrincipalRow) => name === 'public';

/** Types of principals: R, A: roles; G, X: groups of a directory; others: users. */
function shownAs({ name, type }: PrincipalRow): Pick<Grant, 'principal' | 'principalKind' | 'external'> {
  // Whoever has a login of the server is in them.
  if (name === 'public' || name === 'guest')
    return { principal: name, principalKind: 'organization', external: false };
  const isGroup = ['R', 'A', 'G', 'X'].includes(type.trim());
  return { principal: name, principalKind: isGroup ? 'group' : 'user', external: false };
}
