import type { Grant } from './connector.ts';

/** Everybody who can reach a share. They have signed in: a share answers nobody else. */
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

/** Bits by which a role is held: to change the list or its owner, to change or delete the file, to read it. */
const OWNS = 0x100c0000;
const WRITES = 0x40010006;
const READS = 0x80000001;

/** The role that an access mask of Windows gives. Null if it gives none on content. */
export function roleOfMask(mask: number): Grant['role'] | null {
  if ((mask & OWNS) !== 0) return 'owner';
  if ((mask & WRITES) !== 0) return 'write';
  return (mask & READS) !== 0 ? 'read' : null;
}

/** @param sid a security identifier, or its abbreviation in SDDL */
export function grantTo(sid: string, role: Grant['role'], inherited: boolean): Grant {
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
