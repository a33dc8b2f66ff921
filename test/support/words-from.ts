import { mix32 } from '../../core/similarity/sketch.ts';

/** Words of no language, the same for the same numbers. */
export const wordsFrom = (first: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `w${mix32(first + at).toString(36)}`).join(' ');
