import type { Home } from '../../client/generated/service.schemas.ts';

/**
 * How far the places are known.
 * @param problems how many of those listed are not read
 */
export function placesInWords({ items, truncated }: NonNullable<Home['scopes']>, problems: number): string {
  const count = items.length.toLocaleString();
  if (truncated) {
    return problems === 0
      ? `The first ${count} places are read. There are more, which are not looked at here.`
      : `Of the first ${count} places. There are more, which are not looked at here.`;
  }
  if (items.length === 0) return 'No place that you may see is connected.';
  if (problems > 0) return `Of ${count} places that you may see, the others are read.`;
  return items.length === 1
    ? 'The one place that you may see is read.'
    : `All ${count} places that you may see are read.`;
}
