import { expect, test } from 'vitest';
import { ownRights } from '../../../../core/connectors/sql/mysql/own-grants.ts';

/** Lines as MariaDB 10.11 and MySQL 8.4 write them. */
const READER = [
  "GRANT USAGE ON *.* TO `reader`@`%` IDENTIFIED BY PASSWORD '*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19' REQUIRE SSL",
  'GRANT SELECT, SHOW VIEW ON `crm`.* TO `reader`@`%`',
];

test('a login with rights to select and to see views reads', () => {
  expect(ownRights(READER)).toEqual({ writes: null, roles: [], isKnown: true });
});

test('what is said of the grants holds no hash, name or text of them', () => {
  expect(JSON.stringify(ownRights([...READER, 'nonsense']))).not.toMatch(/2470|reader|crm|nonsense/);
});

test.each([
  ['GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION', 'administrator'],
  ['GRANT USAGE ON *.* TO `a`@`%` WITH MAX_QUERIES_PER_HOUR 10 GRANT OPTION', 'administrator'],
  ['GRANT SELECT, FILE ON *.* TO `a`@`%`', 'administrator'],
  ['GRANT BACKUP_ADMIN,SYSTEM_VARIABLES_ADMIN ON *.* TO `a`@`%`', 'administrator'],
  ["GRANT PROXY ON ''@'%' TO `a`@`localhost` WITH GRANT OPTION", 'administrator'],
  ['GRANT SELECT, INSERT ON `crm`.* TO `a`@`%`', 'database'],
  ['GRANT LOCK TABLES ON `crm`.* TO `a`@`%`', 'database'],
  ['GRANT EXECUTE ON PROCEDURE `crm`.`close_year` TO `a`@`%`', 'database'],
  ['GRANT DELETE ON `crm`.`people` TO `a`@`%`', 'table'],
  ['GRANT SELECT, UPDATE (`phone`, `e, mail`) ON `crm`.`people` TO `a`@`%`', 'column'],
  ['GRANT UPDATE (`phone`), DELETE ON `crm`.`people` TO `a`@`%`', 'table'],
  ['GRANT `keeper` TO `a`@`%` WITH ADMIN OPTION', 'role'],
  ['GRANT INSERT ON `test`.* TO PUBLIC', 'database'],
])('%s is more than reading', (line, by) => {
  expect(ownRights([...READER, line])).toMatchObject({ writes: by, isKnown: true });
});

test.each([
  'GRANT SELECT (`phone`, `INSERT ON *.*`) ON `crm`.`people` TO `a`@`%`',
  'GRANT SELECT ON `a`` TO b, DELETE ON c`.* TO `a`@`%`',
  'GRANT SELECT ON `crm`.* TO `WITH GRANT OPTION`@`%`',
  'GRANT CREATE TEMPORARY TABLES ON `crm`.* TO `a`@`%`',
  'GRANT SHOW_ROUTINE ON *.* TO `a`@`%`',
  'REVOKE SELECT ON `secret`.* FROM `a`@`%`',
  'SET DEFAULT ROLE `keeper` FOR `a`@`%`',
])('%s only reads', (line) => {
  expect(ownRights([line])).toEqual({ writes: null, roles: [], isKnown: true });
});

test('roles that the login may take are named as the server quotes them', () => {
  const { roles } = ownRights(['GRANT `reads``all` TO `a`@`%`', 'GRANT `r1`@`%`,`r2`@`%` TO `a`@`%`']);
  expect(roles).toEqual(['`reads``all`', '`r1`@`%`', '`r2`@`%`']);
});

test.each([
  '',
  'GRANTED SELECT ON *.* TO `a`@`%`',
  'GRANT SELECT ON *.*',
  'GRANT keeper; DROP TABLE x TO `a`@`%`',
])('a line that is not understood is not taken for reading: %s', (line) => {
  expect(ownRights([...READER, line]).isKnown).toBe(false);
});
