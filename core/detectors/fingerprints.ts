import { createHmac } from 'node:crypto';
import type { DetectorHits } from './detector.ts';
import { type ConfidenceTier, type Detector, isNumbered } from './detector.ts';
import { plainText } from './engine/plain-text.ts';

/** Part of the stage-cache key. Raise it when the fingerprints of some text change. */
export const FINGERPRINT_VERSION = 2;

/** The most frequent values of one detector in one asset that keep a fingerprint. */
const MAX_VALUES = 32;
/** 40 bits: two values rarely share one, and many values that can be guessed do. */
const HEX_DIGITS = 10;
const SEPARATORS = /[\s\-./()\u2010-\u2015]/gu;

/** The hits of one value: their highest confidence, and their number by tier. */
type ValueHits = { confidence: number; tiers: Partial<Record<ConfidenceTier, number>> };

/** By detector, the hits of each value that keeps a fingerprint, by fingerprint. No value can be read from it. */
export type Fingerprints = Readonly<Record<string, Readonly<Record<string, ValueHits>>>>;

type Kind = Pick<Detector, 'id' | 'family'>;

/**
 * The keyed fingerprint of a value that a detector found, as lower-case hex. Case and width of letters,
 * scripts of digits and soft hyphens make no difference. In numbers separators make none.
 * @param key 32 random bytes of the tenant, in Base64
 */
export const fingerprintOf = (key: string, detector: Kind, value: string): string =>
  createHmac('sha256', Buffer.from(key, 'base64'))
    .update(`${detector.id}\0${canonical(detector, value)}`)
    .digest('hex')
    .slice(0, HEX_DIGITS);

function canonical(detector: Kind, value: string): string {
  const plain = plainText(value).text.normalize('NFKC').toLowerCase().trim();
  const isTelephoneNumber = detector.family === 'contact' && !/\p{L}/u.test(plain);
  return isNumbered(detector) || isTelephoneNumber
    ? plain.replace(SEPARATORS, '')
    : plain.replace(/\s+/gu, ' ');
}

/** Fingerprints of the most frequent values of each detector. `found` holds all hits in the text. */
export function fingerprintsOf(key: string, text: string, found: readonly DetectorHits[]): Fingerprints {
  return Object.fromEntries(
    found.map(({ detector, hits }) => {
      const values = Map.groupBy(hits, ({ start, end }) => canonical(detector, text.slice(start, end)));
      const frequent = [...values].sort((a, b) => b[1].length - a[1].length).slice(0, MAX_VALUES);
      return [
        detector.id,
        Object.fromEntries(
          frequent.map(([value, of]) => [fingerprintOf(key, detector, value), valueHits(of)]),
        ),
      ];
    }),
  );
}

function valueHits(hits: DetectorHits['hits']): ValueHits {
  const tiers: ValueHits['tiers'] = {};
  for (const { tier } of hits) tiers[tier] = (tiers[tier] ?? 0) + 1;
  return { confidence: Math.max(...hits.map(({ confidence }) => confidence)), tiers };
}
