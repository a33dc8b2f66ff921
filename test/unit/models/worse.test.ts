import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isReason, isWorse, warningOf } from '../../../core/models/worse.ts';

type Counts = [tp: number, fp: number, tn: number, fn: number];
const counts = ([truePositives, falsePositives, trueNegatives, falseNegatives]: Counts) => ({
  ...{ truePositives, falsePositives, trueNegatives, falseNegatives },
});
const pair = (current: Counts, candidate: Counts) => ({
  current: counts(current),
  candidate: counts(candidate),
});

describe('a release is worse', () => {
  test.each<[string, Counts, Counts, boolean]>([
    ['no labels', [0, 0, 0, 0], [0, 0, 0, 0], false],
    ['the same figures', [80, 10, 61, 9], [80, 10, 61, 9], false],
    ['134 labels right instead of 141', [80, 10, 61, 9], [74, 11, 60, 15], true],
    ['141 labels right instead of 134', [74, 11, 60, 15], [80, 10, 61, 9], false],
    ['one label, judged wrongly now', [1, 0, 0, 0], [0, 0, 0, 1], true],
    ['one counterexample, asked about now', [0, 0, 1, 0], [0, 1, 0, 0], true],
    ['one counterexample, no longer asked about', [0, 1, 0, 0], [0, 0, 1, 0], false],
    // 150 instead of 155 right, at an F1 of 0.80 instead of 0.77.
    ['a higher F1 with fewer labels right', [75, 20, 80, 25], [100, 50, 50, 0], true],
    // 6 instead of 5 of 13 right, at an F1 of 0.53 instead of 0.56.
    ['a lower F1 with more labels right', [5, 8, 0, 0], [4, 6, 2, 1], false],
    ['as many right, of which one less is a positive example', [6, 2, 4, 1], [5, 1, 5, 2], false],
    ['only positive examples, as many found', [7, 0, 0, 3], [7, 0, 0, 3], false],
  ])('or not with %s', (_, current, candidate, expected) => {
    expect(isWorse(pair(current, candidate))).toBe(expected);
  });

  /** The outcomes of both, of the same positive examples and counterexamples. */
  const pairs = fc.tuple(fc.nat(40), fc.nat(40)).chain(([positives, others]) =>
    fc
      .tuple(
        fc.nat(positives),
        fc.nat(others),
        fc.nat(positives),
        fc.nat(others),
        fc.constant(positives),
        fc.constant(others),
      )
      .map(([foundNow, askedNow, found, asked, p, n]) => ({
        ...pair([foundNow, askedNow, n - askedNow, p - foundNow], [found, asked, n - asked, p - found]),
        isDominated: found <= foundNow && asked >= askedNow && (found < foundNow || asked > askedNow),
        isAsGood: found >= foundNow && asked <= askedNow,
      })),
  );

  test('if it finds no more and asks no less in vain, and one of them is worse', () => {
    fc.assert(
      fc.property(pairs, ({ isDominated, isAsGood, ...figures }) => {
        if (isDominated) expect(isWorse(figures)).toBe(true);
        if (isAsGood) expect(isWorse(figures)).toBe(false);
      }),
    );
  });

  test('exactly if the other way round is better', () => {
    fc.assert(
      fc.property(pairs, ({ current, candidate }) => {
        const [there, back] = [
          isWorse({ current, candidate }),
          isWorse({ current: candidate, candidate: current }),
        ];
        expect(there && back).toBe(false);
        const wrong = (each: typeof current) => each.falsePositives + each.falseNegatives;
        expect(there || back).toBe(wrong(current) !== wrong(candidate));
      }),
    );
  });
});

test('the warning has the figures and says what to do', () => {
  const figures = pair([80, 10, 61, 9], [74, 11, 60, 15]);
  const warning = warningOf({ ...figures, labels: 160, isSmall: false });
  expect(warning).toContain('134 of 160 labels rightly instead of 141');
  expect(warning).toMatch(/propose another.* did not propose it .*`note`/);
  expect(warning).not.toContain('few labels');
  expect(warningOf({ ...figures, labels: 160, isSmall: true })).toContain('few labels');
});

test.each([
  ['', false],
  [' \t\n', false],
  ['\u200b\u2060', false],
  ['-.…!', false],
  ['Fewer questions', true],
  ['誤検知が減る', true],
  ['#42', true],
])('a note %j is a reason or not', (note, expected) => {
  expect(isReason(note)).toBe(expected);
});
