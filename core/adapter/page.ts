import { z } from 'zod';

/** Lists of the service have at most 200 items. */
const LISTED = 200;

/** Arguments that choose a part of a list. */
export const PageArguments = {
  offset: z
    .int()
    .min(0)
    .max(LISTED - 1)
    .default(0)
    .describe('How many items to leave out at the start'),
  limit: z.int().min(1).max(50).default(20).describe('How many items to return'),
};

/** A part of a list of the service, with the number of items that the service listed. */
export function pageOf<T>(
  list: { items: readonly T[]; truncated: boolean },
  { offset, limit }: { offset: number; limit: number },
) {
  const items = list.items.slice(offset, offset + limit);
  return {
    items,
    counts: {
      total: list.items.length,
      totalIsExact: !list.truncated,
      returned: items.length,
      truncated: list.truncated || offset + items.length < list.items.length,
    },
  };
}

/** The counts of an answer about one thing. */
export const ONE = { total: 1, totalIsExact: true, returned: 1 };
