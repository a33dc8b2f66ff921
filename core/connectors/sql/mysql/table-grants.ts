import type { Grant, Permissions } from '../../connector.ts';
import type { PrivilegeRow } from './mysql.sql.ts';

const READS = new Set(['SELECT']);
const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE', 'DROP', 'ALTER']);

/**
 * Who can read or change a table, as far as the login is shown grants. Never complete: other accounts' grants, roles and
 * the readers of views with the rights of their author are hidden from a login that only reads.
 */
export function tableGrants(
  rows: readonly PrivilegeRow[],
  { database, table }: { database: string; table: string },
): Permissions {
  const grants = new Map<string, Grant>();
  for (const row of rows) {
    const role = roleOf(row.PRIVILEGE_TYPE);
    if (role === null || !covers(row, database, table)) continue;
    const inherited = row.TABLE_NAME === null;
    grants.set(JSON.stringify([row.GRANTEE, role, inherited]), {
      ...principalIn(row.GRANTEE),
      role,
      inherited,
    });
  }
  return { grants: [...grants.values()].sort(byPrincipal), complete: false };
}

function roleOf(privilege: string): 'read' | 'write' | null {
  if (WRITES.has(privilege)) return 'write';
  return READS.has(privilege) ? 'read' : null;
}

function covers({ TABLE_SCHEMA, TABLE_NAME }: PrivilegeRow, database: string, table: string): boolean {
  if (TABLE_SCHEMA === null) return true;
  if (TABLE_NAME !== null) return TABLE_SCHEMA === database && TABLE_NAME === table;
  return patternCovers(TABLE_SCHEMA, database);
}

/**
 * A grant on databases has a pattern: `_` is any character, `%` any text, a backslash makes the next one plain. Takes no
 * more steps than the product of both lengths, whatever somebody has granted.
 */
export function patternCovers(pattern: string, database: string): boolean {
  const parts = pattern.match(/\\.|./gsu) ?? [];
  const letters = [...database];
  // Where the last `%` is, and up to where it has reached.
  let [part, letter, many, reached] = [0, 0, -1, 0];
  while (letter < letters.length) {
    const next = parts[part];
    if (next === '%') {
      [many, reached] = [part, letter];
      part += 1;
    } else if (next === '_' || (next !== undefined && plainOf(next) === letters[letter])) {
      part += 1;
      letter += 1;
    } else if (many !== -1) {
      reached += 1;
      [part, letter] = [many + 1, reached];
    } else return false;
  }
  return parts.slice(part).every((rest) => rest === '%');
}

const plainOf = (part: string) => (part.length > 1 && part.startsWith('\\') ? part.slice(1) : part);

/** `'name'@'host'`. A host says from where, and not who: `%` is anywhere, not anybody. */
function principalIn(
  grantee: string,
): Pick<Grant, 'principal' | 'principalKind' | 'external' | 'unconfirmed'> {
  const at = grantee.lastIndexOf('@');
  const [name = '', host = ''] = (at === -1 ? [grantee] : [grantee.slice(0, at), grantee.slice(at + 1)]).map(
    unquoted,
  );
  if (name === 'PUBLIC' && host === '')
    return { principal: 'PUBLIC', principalKind: 'organization', external: false };
  // An account without a name takes every name. Whether it has a password is not shown.
  if (name === '') return { principal: grantee, principalKind: 'anyone', external: true, unconfirmed: true };
  // Roles of MariaDB have no host.
  if (host === '') return { principal: name, principalKind: 'group', external: false };
  return { principal: `${name}@${host}`, principalKind: 'user', external: false };
}

const unquoted = (part: string) => part.replace(/^'(.*)'$/s, '$1').replaceAll("''", "'");

const byPrincipal = (one: Grant, other: Grant) => {
  const [a, b] = [one, other].map(({ principal, role, inherited }) => `${principal} ${role} ${inherited}`);
  return (a as string) < (b as string) ? -1 : 1;
};
