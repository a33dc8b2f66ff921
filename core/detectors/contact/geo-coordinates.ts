import { defineDetector, type Verdict } from '../detector.ts';

/** Within the ranges of latitude and longitude, and not 0, 0, which is a placeholder. */
function judge(match: string): Verdict {
  const [latitude = Number.NaN, longitude = Number.NaN] = match.split(/[,;\s]+/).map(Number);
  const onGlobe = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return onGlobe && (latitude !== 0 || longitude !== 0) ? 'shape' : 'no';
}

export const geoCoordinates = defineDetector({
  id: 'geo_coordinates',
  version: 1,
  family: 'place',
  title: 'Geographic position',
  gate: { kind: 'digits', least: 8, reach: 30 },
  patterns: [
    {
      // Four decimals are a precision of 11 metres, which locates a building.
      regex: /(?<![\w.-])-?\d{1,2}\.\d{4,12}(?:[,;] ?| )-?\d{1,3}\.\d{4,12}(?![\w.]{1,2}\d)/g,
      context: 'required',
    },
  ],
  context: [
    ...[
      'latitude',
      'longitude',
      'lat',
      'lon',
      'lng',
      'coordinates',
      'gps',
      'position',
      'location',
      'koordinaten',
    ],
    ...['breitengrad', 'langengrad', 'coordonnees', 'coordenadas', 'coordinate', 'ubicacion', 'coordinaten'],
    ...['wspolrzedne', 'geo'],
  ],
  judge,
  confidence: { context: 0.7 },
  examples: {
    hits: ['GPS 53.07516, 8.80777', 'lat/lon: -33.86882;151.20929', 'Koordinaten 48.13743 11.57549'],
    misses: ['53.07516, 8.80777', 'GPS 53.07, 8.80', 'gps 0.00000, 0.00000', 'position 93.07516, 8.80777'],
  },
});
