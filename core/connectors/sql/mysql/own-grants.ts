import type { LoginCheck } from '../engine.ts';

type Level = Extract<LoginCheck, { state: 'writes' }>['by'];

/** What the grants of a login say. It holds none of their text, which has a hash of the password on MariaDB. */
export type OwnRights = {
  /** The first kind of right that does more than read. */
  writes: Level | null;
  /** Roles that the login may take. Quoted, as `SHOW GRANTS` writes them. */
  roles: readonly string[];
  /** False if a line is of no known form. */
  isKnown: boolean;
};

/**
 * They change nothing that lasts. `EXECUTE` is none of them: a routine runs with the rights of its author. Neither is
 * `LOCK TABLES`, which stops writers.
 */
const READS = new Set([
  'USAGE',
  'SELECT',
  'SHOW VIEW',
  'SHOW DATABASES',
  'SHOW_ROUTINE',
  'SHOW CREATE ROUTINE',
  'CREATE TEMPORARY TABLES',
  'PROCESS',
  'REPLICATION CLIENT',
  'BINLOG MONITOR',
  'SLAVE MONITOR',
  'REPLICA MONITOR',
]);

/**
 * The rights in the lines of `SHOW GRANTS`.
 * https://dev.mysql.com/doc/refman/8.4/en/show-grants.html, https://mariadb.com/kb/en/show-grants/
 */
export function ownRights(lines: readonly string[]): OwnRights {
  const levels: Level[] = [];
  const roles: string[] = [];
  let isKnown = true;
  for (const line of lines) {
    const grant = grantIn(line);
    if (grant === 'changes nothing') continue;
    if (grant === null) isKnown = false;
    else if (grant.on === null) {
      roles.push(...grant.names);
      if (!grant.names.every((name) => ROLE.test(name))) isKnown = false;
      if (grant.mayGrant) levels.push('role');
    } else if (grant.mayGrant || !grant.names.every((name) => READS.has(nameOf(name))))
      levels.push(levelOf(grant.on, grant.names));
  }
  return { writes: levels[0] ?? null, roles, isKnown };
}

const ROLE = /^`(?:[^`]|``)+`(?:@`(?:[^`]|``)*`)?$/;

/** Without the columns in brackets after it. */
const nameOf = (privilege: string) => privilege.replace(/\s*\(.*$/s, '').toUpperCase();

function levelOf(on: string, names: readonly string[]): Level {
  if (on === '*.*') return 'administrator';
  if (/^(?:PROCEDURE|FUNCTION|PACKAGE|PACKAGE BODY)\s/i.test(on) || on.endsWith('.*')) return 'database';
  // A grant of a proxy names an account and no table.
  if (!/^`(?:[^`]|``)*`\.`(?:[^`]|``)*`$/.test(on)) return 'administrator';
  const beyondReading = names.filter((name) => !READS.has(nameOf(name)));
  return beyondReading.length > 0 && beyondReading.every((name) => name.includes('(')) ? 'column' : 'table';
}

/** `on`: null for a grant of roles. `mayGrant`: to others too. */
type ParsedGrant = { names: string[]; on: string | null; mayGrant: boolean };

/** Null if the line is no grant that is understood. */
function grantIn(line: string): ParsedGrant | 'changes nothing' | null {
  if (/^(?:REVOKE|SET DEFAULT ROLE)\s/i.test(line)) return 'changes nothing';
  if (!/^GRANT\s/i.test(line)) return null;
  const { words, masked } = withoutQuoted(line.slice('GRANT '.length));
  const to = masked.search(/ TO /i);
  if (to === -1) return null;
  const on = masked.slice(0, to).search(/ ON /i);
  const list = on === -1 ? to : on;
  const tail = masked.slice(to);
  return {
    names: splitAtCommas(words, masked, list),
    on: on === -1 ? null : words.slice(on + ' ON '.length, to).trim(),
    mayGrant: /\b(?:GRANT|ADMIN) OPTION\b/i.test(tail),
  };
}

/** `masked`: as long as `words`, with blanks for what is in quotes or brackets. */
function withoutQuoted(words: string): { words: string; masked: string } {
  const masked = words
    .replace(/`(?:[^`]|``)*`|'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"/gs, (quoted) =>
      '_'.repeat(quoted.length),
    )
    .replace(/\([^()]*\)/g, (inBrackets) => '_'.repeat(inBrackets.length));
  return { words, masked };
}

function splitAtCommas(words: string, masked: string, end: number): string[] {
  const names: string[] = [];
  let from = 0;
  for (let at = 0; at <= end; at++) {
    if (at < end && masked[at] !== ',') continue;
    names.push(words.slice(from, at).trim());
    from = at + 1;
  }
  return names;
}
