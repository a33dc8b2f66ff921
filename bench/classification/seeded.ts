import { mix32 } from '../../core/similarity/sketch.ts';

/** Numbers from 0 to 1 that a seed decides. */
export function seeded(seed: number): () => number {
  let state = mix32(seed + 1);
  return () => {
    state = mix32(state + 1);
    return (state >>> 0) / 2 ** 32;
  };
}

/** The same in an order that `random` decides. */
export const shuffled = <T>(all: readonly T[], random: () => number): T[] =>
  all
    .map((each) => ({ each, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
