import type { Grant } from '../connector.ts';

/** Everybody who can reach the share. They have signed in: a share answers nobody else. */
const EVERYBODY: Readonly<Record<string, string>> = {
  WD: 'Everyone',
  'S-1-1-0': 'Everyone',
  AN: 'Anonymous logon',
  'S-1-5-7': 'Anonymous logon',
  AU: 'Authenticated users',
  'S-1-5-11': 'Authenticated users',
  BU: 'Users',
  'S-1-5-32-545': 'Users',
  DU: 'Domain users',
};
const DOMAIN_USERS = /^S-1-5-21-[\d-]+-513$/;

const NAMED: Readonly<Record<string, string>> = {
  BA: 'Administrators',
  'S-1-5-32-544': 'Administrators',
  DA: 'Domain administrators',
  SY: 'System',
  'S-1-5-18': 'System',
  CO: 'Creator owner',
  'S-1-3-0': 'Creator owner',
};

const RIGHTS: Readonly<Record<string, number>> = {
  GA: 0x10000000,
  GW: 0x40000000,
  GR: 0x80000000,
  FA: 0x1f01ff,
  FR: 0x120089,
  FW: 0x120116,
  CC: 0x1,
  DC: 0x2,
  LC: 0x4,
  SD: 0x10000,
  WD: 0x40000,
  WO: 0x80000,
};
/** Bits by which a role is held: to change the list or its owner, to change or delete the file, to read it. */
const OWNS = 0x100c0000;
const WRITES = 0x40010006;
const READS = 0x80000001;

const MAX_GRANTS = 1_000;

/**
 * The grants of an access list in Windows' notation (SDDL). What denies access is not subtracted, and a condition counts
 * as met. A list that is missing gives everybody everything.
 */
export function grantsOf(sddl: string): Grant[] {
  const at = sddl.indexOf('D:');
  if (at === -1 || sddl.startsWith('NO_ACCESS_CONTROL', at + 2)) return [grantTo('WD', 'owner', false)];
  return entriesOf(sddl.slice(at + 2))
    .flatMap(([type, flags = '', rights = '', , , sid = '']) => {
      const allows = type === 'A' || type === 'OA' || type === 'XA';
      const role = roleOf(rights);
      // An entry that is only inherited has no effect on what has it.
      if (!allows || role === null || sid === '' || /^(?:..)*IO/.test(flags)) return [];
      return [grantTo(sid, role, /^(?:..)*ID/.test(flags))];
    })
    .slice(0, MAX_GRANTS);
}

/** The fields of each entry up to the next part of the descriptor. A condition has parentheses of its own. */
function entriesOf(text: string): string[][] {
  const entries: string[][] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '(' && depth++ === 0) from = at + 1;
    else if (character === ')' && --depth === 0) entries.push(text.slice(from, at).split(';'));
    else if (character === ':' && depth === 0) break;
  }
  return entries;
}

function roleOf(rights: string): Grant['role'] | null {
  const mask = /^0x[0-9a-f]{1,8}$/i.test(rights)
    ? Number(rights)
    : (rights.match(/../g) ?? []).reduce((all, right) => all | (RIGHTS[right] ?? 0), 0);
  if ((mask & OWNS) !== 0) return 'owner';
  if ((mask & WRITES) !== 0) return 'write';
  return (mask & READS) !== 0 ? 'read' : null;
}

function grantTo(sid: string, role: Grant['role'], inherited: boolean): Grant {
  const everybody = EVERYBODY[sid] ?? (DOMAIN_USERS.test(sid) ? 'Domain users' : undefined);
  return {
    principal: everybody ?? NAMED[sid] ?? sid,
    // An identifier does not say whether it is a person's or a group's.
    principalKind: everybody === undefined ? 'group' : 'organization',
    external: false,
    role,
    inherited,
  };
}
