import { z } from 'zod';

/** Values that a facet shows at most, the most frequent first. */
const MAX_FACET_VALUES = 50;

export const FacetValueSchema = z.object({
  value: z.string(),
  name: z.string().nullable().describe('Its display name. Null if the value needs none'),
  count: z.int().nonnegative(),
});
type FacetValue = z.infer<typeof FacetValueSchema>;

/** The values of each facet, the most frequent first, then by value. */
export function facetsOf<F extends string>(
  facets: readonly F[],
  rows: readonly ({ facet: string } & FacetValue)[],
): Record<F, FacetValue[]> {
  const values = (facet: F) =>
    rows
      .filter((row) => row.facet === facet)
      .map(({ value, name, count }) => ({ value, name, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, MAX_FACET_VALUES);
  return Object.fromEntries(facets.map((facet) => [facet, values(facet)])) as Record<F, FacetValue[]>;
}
