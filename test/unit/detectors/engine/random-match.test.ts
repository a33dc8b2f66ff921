import { describe, expect, it } from 'vitest';
import type { PatternDetector } from '../../../../core/detectors/detector.ts';
import { checksumConfidence } from '../../../../core/detectors/engine/checksum-confidence.ts';
import { detect, findHits } from '../../../../core/detectors/engine/detect.ts';
import { DETECTORS } from '../../../../core/detectors/index.ts';
import { NIGHTLY } from '../../../support/property-runs.ts';

/** Values that are expected to pass, of the share that is declared; few enough of the rare ones to be quick. */
const PASSING = NIGHTLY ? 1_000 : 300;
const MAX_VALUES = NIGHTLY ? 40_000 : 12_000;
/** Of the declared share, and standard deviations of a count. */
const TOLERANCE = 0.1;
const DEVIATIONS = 3;

/** Numerical Recipes' congruences, so that every run tries the same values. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const CLASSES = ['0123456789', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'] as const;

/** Each digit as 0, each letter as A or a. */
const formOf = (value: string) => value.replace(/\d/g, '0').replace(/[A-Z]/g, 'A').replace(/[a-z]/g, 'a');

/** Makes random values of a form. */
function valuesOf(form: string, below: (most: number) => number): () => string {
  const places = [...form].map((place) => CLASSES.find((each) => each.startsWith(place)) ?? place);
  return () =>
    places
      .map((characters) =>
        characters.length === 1 ? characters : characters.charAt(below(characters.length)),
      )
      .join('');
}

const formsOf = (detector: PatternDetector) => [
  ...new Set(
    detector.examples.hits.flatMap((text) =>
      findHits(text, [detector]).flatMap(({ hits }) =>
        hits.map(({ start, end }) => formOf(text.slice(start, end))),
      ),
    ),
  ),
];

/** Its patterns that need no word, if one of its examples passes so; otherwise all. */
function patternsOf({ patterns, ...detector }: PatternDetector): PatternDetector['patterns'] {
  const free = patterns.filter(({ context }) => context !== 'required');
  const alone = { ...detector, patterns: free, context: [] };
  const passesAlone = detector.examples.hits.some((text) => detect(text, [alone])[0]?.tiers.checksum);
  return passesAlone ? free : patterns;
}

const passes = (patterns: PatternDetector['patterns'], judge: PatternDetector['judge'], value: string) =>
  patterns.some(({ regex }) => {
    regex.lastIndex = 0;
    const isWhole = regex.exec(value)?.[0] === value;
    regex.lastIndex = 0;
    return isWhole && judge?.(value) === 'checksum';
  });

const checked = DETECTORS.flatMap((detector) =>
  detector.randomMatch !== undefined && 'patterns' in detector ? [detector] : [],
);

describe('the declared chance of a random match', () => {
  it.each(checked.map((detector) => [detector.id, detector] as const))('is that of %s', (_, detector) => {
    const declared = detector.randomMatch ?? 0;
    const values = Math.min(MAX_VALUES, Math.ceil(PASSING / declared));
    const patterns = patternsOf(detector);
    const counts = formsOf(detector).map((form, i) => {
      const randomValue = valuesOf(form, random(i + 1));
      let count = 0;
      for (let each = 0; each < values; each++)
        if (passes(patterns, detector.judge, randomValue())) count += 1;
      return count;
    });
    const expected = declared * values;
    const slack = TOLERANCE * expected + DEVIATIONS * Math.sqrt(expected);
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(expected - slack);
    expect(Math.max(...counts)).toBeLessThanOrEqual(expected + slack);
  });

  it('is declared by whoever finds check digits', () => {
    const undeclared = DETECTORS.filter(({ randomMatch }) => randomMatch === undefined);
    const texts = DETECTORS.flatMap(({ examples }) => examples.hits);
    for (const { tiers, detectorId } of texts.flatMap((text) => detect(text, undeclared)))
      expect([tiers.checksum, tiers.checksum_and_context], detectorId).toEqual([undefined, undefined]);
  });
});

describe('checksumConfidence', () => {
  const bare = (randomMatch: number) => checksumConfidence(randomMatch, '123456789', false);
  const grouped = (randomMatch: number) => checksumConfidence(randomMatch, '123-456-789', false);

  it('gives one check digit without grouping less than a sample has', () => {
    for (const one of [1 / 10, 1 / 11, 1 / 26]) expect(bare(one)).toBeLessThan(0.1);
  });

  it('gives two check digits a little, and nearly all where the number is grouped', () => {
    expect(bare(1 / 97)).toBeCloseTo(0.24, 2);
    expect(grouped(1 / 97)).toBeCloseTo(0.76, 2);
  });

  it('gives a strong check nearly all, and less than half to digits alone', () => {
    expect(bare(1 / 10_000)).toBe(0.4);
    expect(grouped(1 / 10_000)).toBe(0.9);
    expect(checksumConfidence(1 / 10_000, '110101199003074514', false)).toBe(0.9);
  });

  it('takes a value near a word for it, however weak the check', () => {
    expect(checksumConfidence(1 / 10, '123456789', true)).toBeGreaterThan(0.9);
    expect(checksumConfidence(1 / 10_000, '123456789', true)).toBe(0.98);
  });

  it('takes a hyphen, a letter at the edge or groups as of an amount for no form', () => {
    for (const part of ['12345678-9', '1234567.89', '123456789Z', 'A123456789', '1 234 567', '123.456.789'])
      expect(checksumConfidence(1 / 10, part, false)).toBe(bare(1 / 10));
    for (const written of [
      '123.456.789-09',
      '123 456 7890',
      '12345678-Z',
      'AB1234567',
      '1234567A89',
      'A123456(7)',
    ])
      expect(checksumConfidence(1 / 10, written, false)).toBe(grouped(1 / 10));
  });

  it('takes a number that is longer than amounts are for rarer', () => {
    const long = (match: string) => checksumConfidence(1 / 31, match, false);
    expect(long('4539148803436467')).toBeGreaterThan(long('45391488034364'));
    expect(long('4539 1488 0343 6467')).toBeGreaterThan(0.8);
  });

  it('never falls where fewer random values pass', () => {
    const chances = Array.from({ length: 60 }, (_, i) => 1 / 1.2 ** i);
    for (const match of ['123456789', '123-456-789', '123456789012345', '1234 5678 9012 345'])
      for (const inContext of [false, true]) {
        const confidences = chances.map((chance) => checksumConfidence(chance, match, inContext));
        expect(confidences).toEqual([...confidences].sort((a, b) => a - b));
      }
  });
});
