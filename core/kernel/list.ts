import { z } from 'zod';

/** Every list answers this: there are no pages, so `truncated` says when more exist. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), truncated: z.boolean() });

/** Rows of which more than `limit` were read where there are more, as a list. */
export const bounded = <T>(rows: T[], limit: number): { items: T[]; truncated: boolean } => ({
  items: rows.slice(0, limit),
  truncated: rows.length > limit,
});

/** How many items a caller wants of a list, as a member of its query: 1 to `most`, which it is where nothing is said. */
export const limitUpTo = (most: number) => writtenInteger(1, most).default(most);

/** An integer as a member of a query. */
export const writtenInteger = (min: number, max: number) =>
  z.preprocess(writtenNumber, z.int().min(min).max(max));

/** A number that is written as numbers are here; any other text, such as `1e2`, `05` or none at all, stays a text. */
const writtenNumber = (text: unknown): unknown =>
  typeof text === 'string' && String(Number(text)) === text ? Number(text) : text;

/**
 * How many rows to read for a list of `limit`: at least one more, which shows that there are more. The number is in
 * the text of the statement, and each connection prepares every text that it meets for good; so callers who ask for all
 * limits there are make a few texts, and not one for each limit.
 */
export const rowsToRead = (limit: number): number => Math.ceil(limit / LIMIT_STEP) * LIMIT_STEP + 1;

const LIMIT_STEP = 50;

/** Rows beyond this many are not counted. */
export const MAX_COUNTED = 10_000;

/** How many rows there are. Not exact: at least so many. */
export type Total = { total: number; totalIsExact: boolean };

/** A list that also says how many items there are under its filters. */
export const countedListOf = <T extends z.ZodType>(item: T) =>
  listOf(item).extend({
    total: z.int().nonnegative().describe('How many there are under the filters of the list'),
    totalIsExact: z
      .boolean()
      .describe('False: there may be more than `total`, because only so many were counted'),
  });

/** The total, after at most `MAX_COUNTED + 1` rows were counted. */
export const totalOf = (counted: number): Total => ({
  total: Math.min(counted, MAX_COUNTED),
  totalIsExact: counted <= MAX_COUNTED,
});

/** Several ids as a member of a query, separated by commas. */
export const idsUpTo = (most: number) =>
  z
    .string()
    .transform((text) => [...new Set(text.split(','))])
    .pipe(z.array(z.string().min(1).max(64)).max(most));
