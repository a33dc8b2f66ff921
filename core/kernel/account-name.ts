import { fold, words } from './words.ts';

/** Without `DOMAIN\` or the claim in front of it. */
const withoutRealm = (identity: string): string =>
  identity.slice(Math.max(identity.lastIndexOf('|'), identity.lastIndexOf('\\')) + 1);

/** The name that an identity of a source holds: without what precedes it, and without the mail domain behind it. */
export const accountNameIn = (identity: string): string => withoutRealm(identity).split('@', 1)[0] ?? '';

/** The e-mail address that an identity of a source holds, folded; null where it holds none. */
export function mailIn(identity: string): string | null {
  const rest = withoutRealm(identity);
  return /^[^\s@<>]+@[^\s@<>]+$/.test(rest) ? fold(rest) : null;
}

/** The words of a name, whatever their order, case and accents: `Okafor, Amara` and `amara.okafor` are one. */
export const nameKey = (name: string): string => words(fold(name)).sort().join(' ');
