import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answersSoFar } from '../../../core/inference/answers-so-far.ts';
import { deriveFeatures, type Opinion } from '../../../core/inference/features.ts';
import {
  confidenceOf,
  FIRST_ENSEMBLE,
  type Inference,
  isUncertain,
  scoreTypes,
} from '../../../core/inference/inference.ts';
import { indexTaxonomy, type Taxonomy } from '../../../core/inference/taxonomy-index.ts';
import { SECOND_OPINION_WEIGHT } from '../../../core/inference/weights.ts';
import { exampleOf } from '../../../core/models/label-examples.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const TAXONOMY: Taxonomy = {
  domains: ['Finance', 'People'].map((name) => ({
    domainId: name,
    name,
    description: '',
    inclusion: '',
    exclusion: '',
  })),
  informationTypes: [
    { informationTypeId: 'ift_invoice', domainId: 'Finance', name: 'Invoice' },
    { informationTypeId: 'ift_order', domainId: 'Finance', name: 'Purchase order' },
    { informationTypeId: 'ift_payroll', domainId: 'People', name: 'Payroll' },
    { informationTypeId: 'ift_bonus', domainId: 'People', name: 'Bonus' },
  ].map((type) => ({
    ...type,
    definition: `${type.name} of the month`,
    sensitivity: 'internal' as const,
    indicators: { detectors: [], keywords: [] },
  })),
};
const MODEL = { provider: 'openai', model: 'thinker' };
const INDEX = indexTaxonomy(TAXONOMY, null, MODEL);
const SAID = { ...MODEL, typeSet: INDEX.typeSet };
const WORDS = ['invoice', 'month', 'payroll', 'order', 'purchase', 'supplier', 'meeting', 'weather'];
const TYPES = TAXONOMY.informationTypes.map(({ informationTypeId, domainId }) => ({
  informationTypeId,
  domainId,
}));
const [INVOICE, , PAYROLL, BONUS] = TYPES as [Type, Type, Type, Type];
type Type = (typeof TYPES)[number];

const scored = (text: string, answer: Opinion['answer'] | null, changes: Partial<Opinion> = {}) =>
  scoreTypes({
    features: {
      ...deriveFeatures({
        ...{ name: 'a.txt', path: '', text, title: '', contentHash: null, signals: [], embedding: null },
      }),
      ...(answer !== null && { opinion: { ...SAID, answer, ...changes } }),
    },
    taxonomy: INDEX,
    ensemble: FIRST_ENSEMBLE,
    expectedDomainId: null,
    related: [],
    refusedBy: [],
    answers: answersSoFar([], true),
  });
const of = (all: readonly Inference[], { informationTypeId }: Type): Inference => {
  const own = all.find((each) => each.informationTypeId === informationTypeId);
  if (own === undefined) throw new Error('a type of the taxonomy is scored');
  return own;
};
const told = (inference: Inference) => inference.contributions.find(({ name }) => name === 'second_opinion');
const logOdds = ({ contributions }: Inference) => contributions.reduce((sum, { value }) => sum + value, 0);

/** The model holds it likely that this is of the payroll, and is not sure. */
const UNSURE = `Invoice\n${'The supplier and the payroll of the week. '.repeat(6)}`;

const texts = fc
  .array(fc.constantFrom(...WORDS), { minLength: 0, maxLength: 80 })
  .map((words) => words.join(' '));
const answers = fc.constantFrom<Opinion['answer']>('none', 'unusable', ...TYPES);

test('an opinion moves an uncertain score by at most its bound, within the band', () => {
  let moved = 0;
  fc.assert(
    fc.property(texts, answers, (text, answer) => {
      const without = scored(text, null);
      const withIt = scored(text, answer);
      for (const type of TYPES) {
        const [before, after] = [of(without, type), of(withIt, type)];
        const change = Math.abs(logOdds(after) - logOdds(before));
        expect(change).toBeLessThanOrEqual(SECOND_OPINION_WEIGHT + 1e-9);
        const was = isUncertain(before.confidence, FIRST_ENSEMBLE);
        if (!was) expect(after).toEqual(before);
        // No question is withdrawn, and none becomes a sure one.
        expect(isUncertain(after.confidence, FIRST_ENSEMBLE)).toBe(was);
        if (change > 0) moved += 1;
        expect(after.confidence).toBeCloseTo(confidenceOf(after.contributions), 12);
      }
    }),
    { numRuns: propertyRuns(500) },
  );
  expect(moved).toBeGreaterThan(0);
});

test('from nothing it raises no type', () => {
  for (const text of ['', 'The weather was fine.', 'The weather was fine. '.repeat(30)]) {
    const type = of(scored(text, INVOICE), INVOICE);
    expect(told(type)).toBeUndefined();
    expect(type.confidence).toBeLessThan(FIRST_ENSEMBLE.candidateThreshold);
  }
});

test('a short text stays below the high band', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const short = text.slice(0, 199);
      for (const each of scored(short, INVOICE))
        expect(each.confidence).toBeLessThan(FIRST_ENSEMBLE.reviewHighThreshold);
    }),
  );
});

describe('an answer', () => {
  const counted = (answer: Opinion['answer'], changes?: Partial<Opinion>) =>
    told(of(scored(UNSURE, answer, changes), PAYROLL));

  test('for the type, for none and for another domain speaks by name', () => {
    const value = counted(PAYROLL)?.value ?? 0;
    expect(value).toBeGreaterThan(0.2);
    expect(value).toBeLessThan(SECOND_OPINION_WEIGHT);
    expect(counted(PAYROLL)).toEqual({
      ...{ name: 'second_opinion', weight: value, score: 1, value },
      evidence: { answer: 'this_type', ...MODEL },
    });
    expect(counted('none')).toMatchObject({
      ...{ weight: SECOND_OPINION_WEIGHT, score: -1 },
      evidence: { answer: 'none' },
    });
    expect(counted(INVOICE)).toMatchObject({ score: -0.5, evidence: { answer: 'other_domain' } });
  });

  test('for another type of the domain, or of no use, says nothing', () => {
    expect(counted(BONUS)).toBeUndefined();
    expect(counted('unusable')).toBeUndefined();
  });

  test.each([
    ['of other types', { typeSet: 'other' }],
    ['of another model', { model: 'other' }],
    ['of another provider', { provider: 'mock' }],
  ])('%s does not count', (_, changes) => {
    expect(counted(PAYROLL, changes)).toBeUndefined();
  });

  test('is not seen by a fit of weights', () => {
    const [without, withIt] = [scored(UNSURE, null), scored(UNSURE, PAYROLL)].map((all) =>
      exampleOf(all, { ...PAYROLL, isPositive: true }, { cluster: '1', terms: '' }),
    );
    const known = (example: typeof without) =>
      [...(example?.scores ?? [])].filter(([name]) => name !== 'second_opinion').sort();
    expect(known(without).length).toBeGreaterThan(0);
    expect(known(withIt)).toEqual(known(without));
    expect(withIt?.copied).toBe(without?.copied);
    const rivals = (example: typeof without) => example?.rivals.map((each) => each.informationTypeId);
    expect(rivals(withIt)).toEqual(rivals(without));
  });
});

test('the set of types changes only with what the provider is told of them', () => {
  const setOf = (change: (taxonomy: Taxonomy) => Taxonomy) => indexTaxonomy(change(TAXONOMY), null).typeSet;
  const types = (change: object) => (taxonomy: Taxonomy) => ({
    ...taxonomy,
    informationTypes: taxonomy.informationTypes.map((type, at) => (at === 0 ? { ...type, ...change } : type)),
  });
  const same = INDEX.typeSet;
  expect(setOf(types({ indicators: { detectors: ['iban'], keywords: ['due'] } }))).toBe(same);
  expect(setOf((all) => ({ ...all, informationTypes: all.informationTypes.toReversed() }))).toBe(same);
  expect(setOf(types({ definition: 'Other' }))).not.toBe(same);
  expect(setOf(types({ name: 'Other' }))).not.toBe(same);
  expect(setOf((all) => ({ ...all, informationTypes: all.informationTypes.slice(1) }))).not.toBe(same);
});
