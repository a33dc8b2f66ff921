import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DomainId } from '../../../core/kernel/ids.ts';
import { type ChangedCandidate, type JudgedLabel, sumOf, tally } from '../../../core/models/evaluation.ts';
import { reportOf } from '../../../core/models/evaluation-report.ts';

const TENANT = { kind: 'tenant' } as const;
const ofDomain = (domainId: string) => ({ kind: 'domains' as const, domainIds: [domainId as DomainId] });
const OTHERS = {
  ...{ queueAssets: { examined: 7, featuresMissing: 1, total: 9 }, training: null },
  ...{ revised: [], isByLabel: true },
};

const types = fc.constantFrom('a1', 'a2', 'b1').map((informationTypeId) => ({
  informationTypeId,
  domainId: informationTypeId.slice(0, 1),
}));
const scored = fc.record({ isAsked: fc.boolean(), confidence: fc.double({ min: 0, max: 1, noNaN: true }) });
const labels = fc.array(
  fc.tuple(types, fc.boolean(), scored, scored).map(
    ([type, isPositive, current, candidate]): JudgedLabel => ({
      ...type,
      isPositive,
      judged: { current, candidate },
    }),
  ),
  { maxLength: 60 },
);
const changes = fc.array(
  fc
    .tuple(types, fc.constantFrom('appear', 'vanish', 'toHigh', 'toReview', 'unchanged'))
    .map(([type, change]): ChangedCandidate => ({ ...type, change }) as ChangedCandidate),
);
const skipped = fc.array(
  fc.tuple(types, fc.constantFrom('contentChanged', 'featuresMissing')).map(([type, reason]) => ({
    ...type,
    reason: reason as 'contentChanged' | 'featuresMissing',
  })),
);

const label = (isPositive: boolean, current: boolean, candidate: boolean, confidence = 0.5): JudgedLabel => ({
  informationTypeId: 'a1',
  domainId: 'a',
  isPositive,
  judged: {
    current: { isAsked: current, confidence },
    candidate: { isAsked: candidate, confidence },
  },
});

describe('an evaluation', () => {
  test('counts precision, recall, F1 and the difference', () => {
    const judged = [
      label(true, true, true),
      label(true, false, true),
      label(true, false, false),
      label(false, true, false),
      label(false, false, true),
      label(false, true, false),
    ];
    const { overall } = reportOf({ tallies: tally(judged, [], []), ...OTHERS }, TENANT);
    expect(overall).toMatchObject({
      labels: 6,
      isSmall: true,
      current: { truePositives: 1, falsePositives: 2, trueNegatives: 1, falseNegatives: 2, f1: 2 / 6 },
      candidate: { truePositives: 2, falsePositives: 1, trueNegatives: 2, falseNegatives: 1, f1: 4 / 6 },
      difference: { onlyCurrentRight: 1, onlyCandidateRight: 3, pValue: 0.625 },
    });
    expect(overall.current.precision?.value).toBeCloseTo(1 / 3);
    expect(overall.candidate.recall?.value).toBeCloseTo(2 / 3);
  });

  test('without labels says so and has no numbers', () => {
    const { overall, reliability } = reportOf({ tallies: [], ...OTHERS }, TENANT);
    expect(overall).toMatchObject({
      labels: 0,
      isSmall: true,
      current: { precision: null, recall: null, f1: null },
      difference: { pValue: 1 },
    });
    expect(reliability.candidate).toEqual({ calibrationError: null, bins: [] });
  });

  test('has the data of a reliability diagram', () => {
    const judged = [
      label(true, true, true, 0.95),
      label(false, true, true, 0.9),
      label(false, true, true, 1),
    ];
    const { reliability } = reportOf(
      { tallies: tally([...judged, label(false, false, false, 0.1)], [], []), ...OTHERS },
      TENANT,
    );
    expect(reliability.current.bins).toMatchObject([
      { from: 0.1, to: 0.2, labels: 1, meanConfidence: 0.1, positiveExamples: { value: 0 } },
      { from: 0.9, to: 1, labels: 3, positiveExamples: { value: 1 / 3 } },
    ]);
    expect(reliability.current.bins[1]?.meanConfidence).toBeCloseTo(0.95);
    // One label is off by 0.1, and three by 0.95 - 1/3 each.
    expect(reliability.current.calibrationError).toBeCloseTo((0.1 + 2.85 - 1) / 4);
  });

  test.each([
    [14, 14, ['positive_examples', 'counterexamples']],
    [15, 14, ['counterexamples']],
    [30, 5, ['counterexamples']],
    [5, 300, ['positive_examples']],
    [15, 15, []],
  ])(
    'of %i positive examples and %i counterexamples says of what there are few',
    (positive, counter, few) => {
      const judged = [positive, counter].flatMap((count, at) =>
        Array.from({ length: count }, () => label(at === 0, true, true)),
      );
      const { overall } = reportOf({ tallies: tally(judged, [], []), ...OTHERS }, TENANT);
      expect([overall.fewOf, overall.isSmall]).toEqual([few, few.length > 0]);
    },
  );

  test('without revised labels is as if they had never been judged', () => {
    const withRevised = fc.array(
      fc.tuple(
        labels.map((each) => each.slice(0, 3)),
        fc.boolean(),
      ),
    );
    fc.assert(
      fc.property(withRevised, (parts) => {
        const of = (isRevised: boolean) => parts.flatMap(([each, is]) => (is === isRevised ? each : []));
        const revised = of(true).map(({ judged, ...each }) => ({
          ...{ ...each, side: 'held_out' as const, labels: 1 },
          asked: { current: judged.current.isAsked, candidate: judged.candidate.isAsked },
        }));
        const whole = { tallies: tally([...of(true), ...of(false)], [], []), ...OTHERS, revised };
        const rest = { tallies: tally(of(false), [], []), ...OTHERS };
        for (const visibility of [TENANT, ofDomain('a')]) {
          const { overall, types } = reportOf(whole, visibility);
          const expected = reportOf(rest, visibility);
          expect(overall.withoutRevised).toEqual(expected.overall.withoutRevised);
          expect(expected.overall).toMatchObject(expected.overall.withoutRevised ?? {});
          for (const { informationTypeId, result } of types) {
            const same = expected.types.find((each) => each.informationTypeId === informationTypeId);
            expect(result.withoutRevised?.labels).toBe(same?.result.labels ?? 0);
            if (same !== undefined) expect(result.withoutRevised).toEqual(same.result.withoutRevised);
          }
        }
      }),
    );
  });

  test('counts revised labels on both sides, judged or not, and of own domains only', () => {
    const type = (domainId: string) => ({ informationTypeId: `${domainId}1`, domainId, isPositive: true });
    const revised = [
      { ...type('a'), side: 'held_out' as const, asked: { current: true, candidate: true }, labels: 2 },
      { ...type('a'), side: 'held_out' as const, asked: null, labels: 1 },
      { ...type('b'), side: 'training' as const, asked: null, labels: 4 },
    ];
    const tallies = tally(
      [1, 2, 3].map(() => label(true, true, true)),
      [],
      [],
    );
    const seen = (visibility: Parameters<typeof reportOf>[1], isByLabel = true) => {
      const { overall } = reportOf({ tallies, ...OTHERS, revised, isByLabel }, visibility);
      return [overall.revisedLabels, overall.labels, overall.withoutRevised?.labels];
    };
    expect(seen(TENANT)).toEqual([{ training: 4, heldOut: 3 }, 3, 1]);
    expect(seen(ofDomain('a'))).toEqual([{ training: 0, heldOut: 3 }, 3, 1]);
    expect(seen(TENANT, false)).toEqual([{ training: 4, heldOut: 3 }, 3, undefined]);
  });

  test('counts every label, skip and change once, in its type, its domain and overall', () => {
    fc.assert(
      fc.property(labels, skipped, changes, (judged, skips, changed) => {
        const tallies = tally(judged, skips, changed);
        const report = reportOf({ tallies, ...OTHERS }, TENANT);
        expect(report.overall.labels).toBe(judged.length);
        for (const groups of [report.domains, report.types]) {
          const sum = (of: (group: (typeof groups)[number]['result']) => number) =>
            groups.reduce((total, { result }) => total + of(result), 0);
          expect(sum((group) => group.labels)).toBe(judged.length);
          expect(sum((group) => group.skipped.contentChanged + group.skipped.featuresMissing)).toBe(
            skips.length,
          );
          expect(
            sum(({ queue: { isSample: _, ...counts } }) =>
              Object.values(counts).reduce((total, each) => total + each, 0),
            ),
          ).toBe(changed.length);
          expect(sum((group) => group.difference.onlyCandidateRight)).toBe(
            report.overall.difference.onlyCandidateRight,
          );
        }
        const inBins = report.reliability.current.bins.reduce((total, bin) => total + bin.labels, 0);
        expect(inBins).toBe(judged.length);
      }),
    );
  });

  test('shows readers of a domain what there is of that domain, and no trace of others', () => {
    fc.assert(
      fc.property(labels, skipped, changes, (judged, skips, changed) => {
        const own = <T extends { domainId: string }>(all: readonly T[]) =>
          all.filter(({ domainId }) => domainId === 'a');
        const whole = { tallies: tally(judged, skips, changed), ...OTHERS };
        const part = { tallies: tally(own(judged), own(skips), own(changed)), ...OTHERS };
        expect(reportOf(whole, ofDomain('a'))).toEqual({ ...reportOf(part, TENANT), queueAssets: null });
      }),
    );
  });

  test('leaves the tallies as they are when it adds them up', () => {
    fc.assert(
      fc.property(labels, (judged) => {
        const tallies = tally(judged, [], []);
        const before = structuredClone(tallies);
        sumOf(tallies);
        expect(tallies).toEqual(before);
      }),
    );
  });
});
