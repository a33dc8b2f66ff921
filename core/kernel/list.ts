import { z } from 'zod';

/** Every list answers this: there are no pages, so the caller is told when more exist. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), truncated: z.boolean() });

/** Rows that were read with one more than `limit`, as a list. */
export const bounded = <T>(rows: T[], limit: number): { items: T[]; truncated: boolean } => ({
  items: rows.slice(0, limit),
  truncated: rows.length > limit,
});
