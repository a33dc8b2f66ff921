import { z } from 'zod';

/** Values that a facet shows at most, the most frequent first. */
const MAX_FACET_VALUES = 50;

export const FacetValueSchema = z.object({
  value: z.string(),
  name: z.string().nullable().describe('Its display name. Null if the value needs none'),
  count: z.int().nonnegative(),
});
type FacetValue = z.infer<typeof FacetValueSchema>;

/** A row of a statement that counts: a value of a facet, or how many rows there are under `counted`. */
export type FacetRow = { facet: string } & FacetValue;

/** Most facets count at most this many rows, the first of their list. Their statement looks at one more. */
export const MAX_FACETED = 2_000;

/** What was counted. `isExact`: nothing beyond it was left out. */
export function facetedOf<F extends string>(
  facets: readonly F[],
  rows: readonly FacetRow[],
  isWhole: boolean,
) {
  const all = countedIn(rows);
  return {
    counted: Math.min(all, MAX_FACETED),
    isExact: isWhole && all <= MAX_FACETED,
    facets: facetsOf(facets, rows),
  };
}

export const countedIn = (rows: readonly FacetRow[]): number =>
  rows.find(({ facet }) => facet === 'counted')?.count ?? 0;

/** The values of each facet, the most frequent first, then by value. */
export function facetsOf<F extends string>(
  facets: readonly F[],
  rows: readonly FacetRow[],
): Record<F, FacetValue[]> {
  const values = (facet: F) =>
    rows
      .filter((row) => row.facet === facet)
      .map(({ value, name, count }) => ({ value, name, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, MAX_FACET_VALUES);
  return Object.fromEntries(facets.map((facet) => [facet, values(facet)])) as Record<F, FacetValue[]>;
}
