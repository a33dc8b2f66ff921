import { words } from '../kernel/words.ts';
import type { DetectorHits } from './detector.ts';

/** The folded words of all finds in a text. What is kept of a text must not name them. */
export const wordsOfFinds = (text: string, found: readonly DetectorHits[]): ReadonlySet<string> =>
  new Set(found.flatMap(({ hits }) => hits.flatMap(({ start, end }) => words(text.slice(start, end)))));
