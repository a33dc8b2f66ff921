import { createHash } from 'node:crypto';

/** A reproducible random source. The same key gives the same choices on every machine. */
export type Random = {
  /** An integer from `low` to `high`, both inclusive. */
  int(low: number, high: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
  /** `count` distinct choices in random order, or all of them if there are fewer. */
  sample<T>(choices: readonly T[], count: number): T[];
  /** A string of `length` characters of `alphabet`. */
  text(length: number, alphabet: string): string;
  bytes(length: number): Uint8Array;
};

export function seededRandom(key: string): Random {
  let state = createHash('sha256').update(key).digest().readUInt32LE(0);
  // mulberry32. Its 32 bits of state are enough to choose words.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    int,
    pick: (choices) => choices[int(0, choices.length - 1)] ?? choices[0],
    sample: (choices, count) => {
      const left = [...choices];
      const taken = [];
      while (taken.length < count && left.length > 0) taken.push(...left.splice(int(0, left.length - 1), 1));
      return taken;
    },
    text: (length, alphabet) => Array.from({ length }, () => alphabet[int(0, alphabet.length - 1)]).join(''),
    bytes: (length) => Uint8Array.from({ length }, () => int(0, 255)),
  };
}
