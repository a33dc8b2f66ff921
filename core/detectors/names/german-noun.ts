import { GERMAN_NOUNS } from './german-nouns.ts';

const ENDINGS = ['', 's', 'es', 'n', 'en', 'e'];
/** What may be between the parts of a compound. */
const LINKS = ['', 's', 'es', 'n', 'en', 'er', 'e'];
const LEAST_STEM = 3;
/** Shorter parts are the endings of other words. */
const LEAST_PART = 4;
const MAX_PARTS = 4;

let nouns: ReadonlySet<string> | null = null;

/** Whether a folded word is a common noun of German: itself, a form of it, or a compound of nouns. */
export const isGermanNoun = (folded: string): boolean => isForm(folded) || isCompound(folded, MAX_PARTS);

function isForm(word: string): boolean {
  nouns ??= decoded();
  return ENDINGS.some((ending) => {
    const stem = word.length - ending.length;
    return stem >= LEAST_STEM && word.endsWith(ending) && nouns?.has(word.slice(0, stem)) === true;
  });
}

/** The last part may be inflected, the others have a link. */
function isCompound(word: string, parts: number): boolean {
  for (let at = LEAST_PART; at <= word.length - LEAST_PART; at++) {
    if (!isHead(word.slice(0, at))) continue;
    const rest = word.slice(at);
    if (isForm(rest) || (parts > 2 && isCompound(rest, parts - 1))) return true;
  }
  return false;
}

const isHead = (part: string): boolean =>
  LINKS.some((link) => {
    const stem = part.length - link.length;
    return stem >= LEAST_STEM && part.endsWith(link) && nouns?.has(part.slice(0, stem)) === true;
  });

function decoded(): ReadonlySet<string> {
  const all = new Set<string>();
  let last = '';
  for (const [entry] of GERMAN_NOUNS.replaceAll('\n', '').matchAll(/[A-Z][a-z]+/g)) {
    last = last.slice(0, entry.charCodeAt(0) - 65) + entry.slice(1);
    all.add(last);
  }
  return all;
}
