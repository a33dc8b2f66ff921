import { mix32 } from '../../core/similarity/sketch.ts';

/** Invented words. The same numbers give the same words. */
export const wordsFrom = (first: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `w${mix32(first + at).toString(36)}`).join(' ');
