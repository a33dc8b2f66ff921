import { describe, expect, test } from 'vitest';
import { objectGrants, principalsOf } from '../../../../core/connectors/sql/sqlserver/object-grants.ts';
import type { MemberRow, RightRow } from '../../../../core/connectors/sql/sqlserver/sqlserver.sql.ts';

const PRINCIPALS = [
  { principal_id: 0, name: 'public', type: 'R' },
  { principal_id: 1, name: 'dbo', type: 'S' },
  { principal_id: 2, name: 'guest', type: 'S' },
  { principal_id: 5, name: 'anna', type: 'S' },
  { principal_id: 6, name: 'CORP\\sales', type: 'G' },
  { principal_id: 7, name: 'analysts', type: 'R' },
  { principal_id: 8, name: 'interns', type: 'R' },
];
const TABLE = { objectId: 100, schemaId: 9, ownerId: 1 };

const right = (grantee: number, permission: string, rest: Partial<RightRow> = {}): RightRow => ({
  class: 1,
  major_id: 100,
  minor_id: 0,
  grantee_id: grantee,
  permission_name: permission,
  state: 'G',
  ...rest,
});

type Shown = { principals?: typeof PRINCIPALS; members?: MemberRow[]; rights?: RightRow[] };

const permissionsOf = ({ principals = PRINCIPALS, members = [], rights = [] }: Shown) =>
  objectGrants({ principals: principalsOf(principals, members), rights }, TABLE);

const grantsOf = (shown: Shown) =>
  permissionsOf(shown)
    .grants.filter(({ principal }) => principal !== 'dbo')
    .map(({ principal, role, inherited }) => `${principal} ${role} ${inherited ? 'inherited' : 'own'}`)
    .sort();

test('the owner of a table is its owner, and nothing is ever complete', () => {
  expect(permissionsOf({})).toEqual({
    grants: [{ principal: 'dbo', principalKind: 'user', external: false, role: 'owner', inherited: true }],
    complete: false,
  });
});

test('rights on the database, the schema, the table and a column reach a table', () => {
  const rights = [
    right(5, 'SELECT', { class: 0, major_id: 0 }),
    right(6, 'INSERT', { class: 3, major_id: 9 }),
    right(7, 'CONTROL'),
    right(8, 'SELECT', { minor_id: 2 }),
    right(8, 'SELECT', { class: 3, major_id: 10 }),
    right(8, 'DELETE', { major_id: 101 }),
  ];
  expect(grantsOf({ rights })).toEqual([
    'CORP\\sales write inherited',
    'analysts owner own',
    'anna read inherited',
    'interns read own',
  ]);
});

test('members of a role, also through another role, have what it has', () => {
  const members = [
    { role_id: 7, member_id: 8 },
    { role_id: 8, member_id: 5 },
  ];
  expect(grantsOf({ members, rights: [right(7, 'SELECT')] })).toEqual([
    'analysts read own',
    'anna read inherited',
    'interns read inherited',
  ]);
});

describe('a denial', () => {
  test('wins over each grant, also of a role of the principal', () => {
    const members = [{ role_id: 7, member_id: 5 }];
    const rights = [right(5, 'SELECT'), right(7, 'SELECT', { class: 0, major_id: 0, state: 'D' })];
    expect(grantsOf({ members, rights })).toEqual([]);
  });

  test('of public is for everybody', () => {
    expect(grantsOf({ rights: [right(5, 'SELECT'), right(0, 'SELECT', { state: 'D' })] })).toEqual([]);
  });

  test('of one column leaves the others', () => {
    const rights = [right(5, 'SELECT'), right(5, 'SELECT', { state: 'D', minor_id: 2 })];
    expect(grantsOf({ rights })).toEqual(['anna read own']);
  });

  test('of one right to write leaves the others', () => {
    const rights = [right(5, 'INSERT'), right(5, 'UPDATE'), right(5, 'INSERT', { state: 'D' })];
    expect(grantsOf({ rights })).toEqual(['anna write own']);
  });
});

test('fixed roles have rights without any row', () => {
  const principals = [
    ...PRINCIPALS,
    { principal_id: 16390, name: 'db_datareader', type: 'R' },
    { principal_id: 16393, name: 'db_denydatareader', type: 'R' },
  ];
  const members = [
    { role_id: 16390, member_id: 5 },
    { role_id: 16390, member_id: 6 },
    { role_id: 16393, member_id: 6 },
  ];
  expect(grantsOf({ principals, members })).toEqual(['anna read inherited', 'db_datareader read inherited']);
});

test('public and guest are everybody with a login, and not anyone', () => {
  const { grants } = permissionsOf({ rights: [right(0, 'SELECT'), right(2, 'SELECT')] });
  expect(grants.map(({ principalKind }) => principalKind)).toEqual(['user', 'organization', 'organization']);
});
