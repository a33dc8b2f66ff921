import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PrivilegeRow } from '../../../../core/connectors/sql/mysql/mysql.sql.ts';
import { patternCovers, tableGrants } from '../../../../core/connectors/sql/mysql/table-grants.ts';

const row = (
  GRANTEE: string,
  PRIVILEGE_TYPE: string,
  TABLE_SCHEMA: string | null = null,
  TABLE_NAME: string | null = null,
): PrivilegeRow => ({ GRANTEE, PRIVILEGE_TYPE, TABLE_SCHEMA, TABLE_NAME });

const of = (...rows: PrivilegeRow[]) => tableGrants(rows, { database: 'crm', table: 'people' }).grants;

test('grants of server, database and table reach a table, those of others do not', () => {
  expect(
    of(
      row("'root'@'localhost'", 'SELECT'),
      row("'app'@'%'", 'INSERT', 'crm'),
      row("'hr'@'10.0.0.%'", 'SELECT', 'crm', 'people'),
      row("'other'@'%'", 'SELECT', 'shop'),
      row("'third'@'%'", 'SELECT', 'crm', 'orders'),
      row("'fourth'@'%'", 'PROCESS'),
    ),
  ).toEqual([
    { principal: 'app@%', principalKind: 'user', external: false, role: 'write', inherited: true },
    { principal: 'hr@10.0.0.%', principalKind: 'user', external: false, role: 'read', inherited: false },
    { principal: 'root@localhost', principalKind: 'user', external: false, role: 'read', inherited: true },
  ]);
});

test('PUBLIC is the organization, a role a group, an account without a name anyone', () => {
  const kinds = of(
    row("'PUBLIC'@''", 'SELECT', 'crm'),
    row("'analysts'@''", 'SELECT', 'crm'),
    row("''@'%'", 'SELECT', 'crm'),
  ).map(({ principalKind, unconfirmed }) => [principalKind, unconfirmed]);
  expect(kinds.toSorted()).toEqual([
    ['anyone', true],
    ['group', undefined],
    ['organization', undefined],
  ]);
});

test('grants are never complete, because a login sees its own', () => {
  expect(tableGrants([], { database: 'crm', table: 'people' })).toEqual({ grants: [], complete: false });
});

test.each([
  ['crm', 'crm', true],
  ['crm\\_test', 'crm_test', true],
  ['crm\\_test', 'crmXtest', false],
  ['crm_test', 'crmXtest', true],
  ['c%', 'crm', true],
  ['%', '', true],
  ['a.b', 'axb', false],
  ['%a_c%', 'xaabcabd', true],
  ['%ab', 'aab', true],
  ['%ab', 'aba', false],
  // Would take years if each `%` were tried at each place.
  [`${'%a'.repeat(31)}b`, 'a'.repeat(64), false],
])('the pattern %s for %s: %s', (pattern, database, isCovered) => {
  expect(patternCovers(pattern, database)).toBe(isCovered);
});

test('a name with its wildcards escaped is the pattern of itself alone', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.string({ maxLength: 20 }), (name, other) => {
      const pattern = name.replace(/[\\%_]/g, '\\$&');
      expect(patternCovers(pattern, name)).toBe(true);
      if (other !== name) expect(patternCovers(pattern, other)).toBe(false);
    }),
  );
});
