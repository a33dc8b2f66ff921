import { placesOf } from '../ai/knowledge/geographies.ts';
import { NATIONAL_IDS } from '../detectors/identity/national-ids.ts';

/** The countries of a tenant's geographies whose identifiers are known, sorted. */
export function homeCountries(geographies: readonly string[]): string[] {
  const ids = new Set(placesOf(geographies).flatMap(({ identityDetectors }) => identityDetectors));
  const countries = NATIONAL_IDS.flatMap((detector) =>
    ids.has(detector.id) ? (detector.countries ?? []) : [],
  );
  return [...new Set(countries)].sort();
}
