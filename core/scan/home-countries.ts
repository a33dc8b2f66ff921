import { placesOf } from '../ai/knowledge/geographies.ts';
import { NATIONAL_IDS } from '../detectors/identity/national-ids.ts';

/** The countries where a tenant works, sorted, of the geographies in its profile: those whose identifiers are known there. */
export function homeCountries(geographies: readonly string[]): string[] {
  const ids = new Set(placesOf(geographies).flatMap(({ identityDetectors }) => identityDetectors));
  const countries = NATIONAL_IDS.flatMap((detector) =>
    ids.has(detector.id) ? (detector.countries ?? []) : [],
  );
  return [...new Set(countries)].sort();
}
