import { defineDetector } from '../detector.ts';
import { sharedNames } from './reading.ts';

/** Low weight, because nearly every text names a place. */
export const placeName = defineDetector({
  id: 'place_name',
  version: 4,
  family: 'place',
  title: 'Name of a city, region or country',
  find: (reading) => sharedNames(reading).place.map((span) => ({ ...span, verdict: 'shape' as const })),
  context: [
    ...[
      'city',
      'country',
      'place of birth',
      'lives in',
      'born in',
      'moved to',
      'ort',
      'stadt',
      'land',
      'geburtsort',
      'wohnort',
    ],
    ...[
      'ville',
      'pays',
      'lieu de naissance',
      'ciudad',
      'pais',
      'lugar de nacimiento',
      'citta',
      'luogo di nascita',
      'cidade',
    ],
    ...['local de nascimento', 'stad', 'woonplaats', 'geboorteplaats', 'miasto', 'kraj', 'miejsce urodzenia'],
  ],
  confidence: { pattern: 0.2, context: 0.4 },
  examples: {
    hits: [
      'She moved here from Kazakhstan',
      'Wir fliegen nach Österreich.',
      'City: Vigo',
      'the office in New York',
    ],
    misses: ['in the morning', 'A turkey sandwich', 'In Progress', 'import germany.config'],
  },
});
