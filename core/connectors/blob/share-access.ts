import type { Grant } from '../connector.ts';
import { grantTo, roleOfMask } from '../windows-grants.ts';

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
  if (/^0x[0-9a-f]{1,8}$/i.test(rights)) return roleOfMask(Number(rights));
  return roleOfMask((rights.match(/../g) ?? []).reduce((all, right) => all | (RIGHTS[right] ?? 0), 0));
}
