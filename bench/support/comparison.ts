import { median } from './rounds.ts';

/** The medians of both sides, and the ratio of ours to the peer. 1 means equally fast. */
export type Comparison = { ours: number; bare: number; ratio: number };

export function compare(samples: { ours: readonly number[]; bare: readonly number[] }): Comparison {
  const ours = median(samples.ours);
  const bare = median(samples.bare);
  return { ours: Math.round(ours), bare: Math.round(bare), ratio: ratioOf(ours, bare) };
}

export const ratioOf = (ours: number, bare: number) => Math.round((ours / bare) * 1000) / 1000;
