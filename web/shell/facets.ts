import type { FacetValue } from '../../client/generated/service.schemas.ts';

/** A count as people read it. One that may be too small, because not all were counted, says so. */
export const counted = (count: number, isWhole: boolean): string =>
  `${count.toLocaleString()}${isWhole ? '' : '+'}`;

/** What a filter offers: the values that were counted, and the one that is chosen, of which there may be none. */
export const offered = (
  values: readonly FacetValue[] = [],
  chosen: string | undefined,
): readonly FacetValue[] =>
  chosen === undefined || values.some(({ value }) => value === chosen)
    ? values
    : [{ value: chosen, name: null, count: 0 }, ...values];
