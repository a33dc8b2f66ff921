import type { Grant, Permissions } from '../../connector.ts';
import type { MemberRow, PrincipalRow, RightRow } from './sqlserver.sql.ts';

/** What the catalogue shows of who may do what. */
export type DatabaseRights = {
  principals: readonly PrincipalRow[];
  members: readonly MemberRow[];
  rights: readonly RightRow[];
};

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
export function objectGrants(
  { principals, members, rights }: DatabaseRights,
  table: GrantedTable,
): Permissions {
  const byId = new Map(principals.map((principal) => [principal.principal_id, principal]));
  const rolesOf = (id: number) => withRoles(id, members, principals);
  const here = rights.filter((right) => concerns(right, table));
  const denied = denials(here, principals);
  const grants = new Map<string, Grant>();
  const add = (id: number, role: Role, inherited: boolean) => {
    const principal = byId.get(id);
    if (principal === undefined || rolesOf(id).some((each) => denied.has(`${each} ${role}`))) return;
    grants.set(`${principal.name} ${role} ${inherited}`, { ...shownAs(principal), role, inherited });
  };
  const addWithMembers = (id: number, role: Role, inherited: boolean) => {
    add(id, role, inherited);
    // Members have it through the role, so it is not theirs alone.
    for (const { principal_id: member } of principals)
      if (member !== id && !isPublic(byId.get(id)) && rolesOf(member).includes(id)) add(member, role, true);
  };
  addWithMembers(table.ownerId, 'owner', true);
  for (const principal of principals) {
    const role = FIXED[principal.name];
    if (role !== undefined) addWithMembers(principal.principal_id, role, true);
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

/** The principal and all roles that it is in, also through other roles. Everybody is in `public`. */
function withRoles(
  id: number,
  members: readonly MemberRow[],
  principals: readonly PrincipalRow[],
): readonly number[] {
  const found = [id, ...principals.filter(isPublic).map(({ principal_id }) => principal_id)];
  for (const each of found)
    for (const { role_id: role, member_id: member } of members)
      if (member === each && !found.includes(role)) found.push(role);
  return found;
}

const isPublic = (principal: PrincipalRow | undefined) => principal?.name === 'public';

/** Types of principals: R, A: roles; G, X: groups of a directory; others: users. */
function shownAs({ name, type }: PrincipalRow): Pick<Grant, 'principal' | 'principalKind' | 'external'> {
  // Whoever has a login of the server is in them.
  if (name === 'public' || name === 'guest')
    return { principal: name, principalKind: 'organization', external: false };
  const isGroup = ['R', 'A', 'G', 'X'].includes(type.trim());
  return { principal: name, principalKind: isGroup ? 'group' : 'user', external: false };
}
