import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_ANSWERS } from '../../../core/inference/answers-so-far.ts';
import { deriveFeatures } from '../../../core/inference/features.ts';
import { confidenceOf, FIRST_ENSEMBLE, scoreTypes } from '../../../core/inference/inference.ts';
import { gatherWords } from '../../../core/inference/learned-words.ts';
import { packTerms, unpackTerms } from '../../../core/inference/packed.ts';
import { indexTaxonomy } from '../../../core/inference/taxonomy-index.ts';
import {
  type LearnedWeights,
  MOST_FACTOR,
  MOST_SHIFT,
  WEIGHTED_NAMES,
} from '../../../core/inference/weights.ts';

const TAXONOMY = indexTaxonomy(
  {
    domains: ['Finance', 'People'].map((name) => ({
      domainId: name,
      name,
      description: '',
      inclusion: '',
      exclusion: '',
    })),
    informationTypes: [
      { informationTypeId: 'ift_invoice', domainId: 'Finance', name: 'Invoice', keywords: ['amount due'] },
      { informationTypeId: 'ift_payroll', domainId: 'People', name: 'Payroll', keywords: ['salary'] },
    ].map(({ keywords, ...type }) => ({
      ...type,
      definition: `${type.name} of the month`,
      sensitivity: 'internal' as const,
      indicators: { detectors: ['iban'], keywords },
    })),
  },
  null,
);
const FEATURES = deriveFeatures({
  name: 'Invoice 7.txt',
  path: 'Invoices/',
  text: `Invoice of the month. The amount due is as agreed with the supplier. ${'Thank you for the order. '.repeat(12)}`,
  title: '',
  contentHash: null,
  signals: [],
  embedding: null,
});

const scored = (learned: LearnedWeights | null) =>
  scoreTypes({
    features: FEATURES,
    taxonomy: TAXONOMY,
    ensemble: { ...FIRST_ENSEMBLE, learned },
    expectedDomainId: 'Finance',
    related: [],
    refusedBy: [],
    answers: NO_ANSWERS,
  });

const learnedWeights = fc
  .record({
    factors: fc.array(fc.double({ min: 0, max: MOST_FACTOR, noNaN: true }), {
      minLength: WEIGHTED_NAMES.length,
      maxLength: WEIGHTED_NAMES.length,
    }),
    shift: fc.double({ min: -MOST_SHIFT, max: MOST_SHIFT, noNaN: true }),
    offset: fc.double({ min: -MOST_SHIFT, max: MOST_SHIFT, noNaN: true }),
  })
  .map(
    ({ factors, shift, offset }): LearnedWeights => ({
      labels: 40,
      factors: Object.fromEntries(
        WEIGHTED_NAMES.map((name, at) => [name, { factor: factors[at] ?? 1, support: 9 }]),
      ) as LearnedWeights['factors'],
      shift,
      types: { ift_invoice: { domainId: 'Finance', offset, support: 7 } },
    }),
  );

test('learned weights change no score and no sign of a contribution', () => {
  const byHand = new Map(
    scored(null).flatMap(({ informationTypeId, contributions }) =>
      contributions.map(({ name, score }) => [`${informationTypeId} ${name}`, score]),
    ),
  );
  fc.assert(
    fc.property(learnedWeights, (learned) => {
      for (const { informationTypeId, contributions, confidence } of scored(learned)) {
        expect(confidence).toBeCloseTo(confidenceOf(contributions), 12);
        for (const { name, score, value } of contributions) {
          if (name === 'learned_offset') continue;
          expect(score).toBe(byHand.get(`${informationTypeId} ${name}`));
          expect(Math.sign(value)).toBe(Math.sign(score));
        }
      }
    }),
  );
});

test('a larger factor moves the confidence in the direction of the evidence', () => {
  const confidences = (learned: LearnedWeights) => scored(learned).map(({ confidence }) => confidence);
  const scores = scored(null).map(({ contributions }) => contributions);
  fc.assert(
    fc.property(learnedWeights, fc.constantFrom(...WEIGHTED_NAMES), (learned, name) => {
      const factors = { ...learned.factors, [name]: { factor: MOST_FACTOR, support: 9 } };
      const [before, after] = [confidences(learned), confidences({ ...learned, factors })];
      for (const [at, contributions] of scores.entries()) {
        const score = contributions.find((each) => each.name === name)?.score ?? 0;
        expect(Math.sign(score) * ((after[at] ?? 0) - (before[at] ?? 0))).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

test('an offset changes its own type alone and is a contribution of its own', () => {
  fc.assert(
    fc.property(learnedWeights, (learned) => {
      const [own, other] = scored(learned);
      const without = scored({ ...learned, types: {} });
      expect(other).toEqual(without[1]);
      const offset = learned.types.ift_invoice?.offset ?? 0;
      const contribution = own?.contributions.find(({ name }) => name === 'learned_offset');
      expect(contribution?.value ?? 0).toBeCloseTo(offset, 12);
    }),
  );
});

test('words of confirmed documents are a contribution to the type that they are of', () => {
  const learned = fc.sample(learnedWeights, 1)[0];
  if (learned === undefined) throw new Error('No sample');
  const documents = ['ift_invoice', 'ift_payroll'].flatMap((informationTypeId) =>
    ['1', '2', '3'].map((n) => {
      const other = packTerms(
        new Map([...unpackTerms(FEATURES.terms).keys()].map((hash) => [(hash ^ 1) >>> 0, 1])),
      );
      const terms = informationTypeId === 'ift_invoice' ? FEATURES.terms : other;
      return {
        ...{
          cluster: `${informationTypeId} ${n}`,
          terms,
          types: [{ informationTypeId, domainId: 'Finance' }],
        },
      };
    }),
  );
  const words = { ...gatherWords(documents), weight: 3 };
  const [invoice, payroll] = scored({ ...learned, words }).map(({ contributions, confidence }) => {
    expect(confidence).toBeCloseTo(confidenceOf(contributions), 12);
    return contributions.find(({ name }) => name === 'learned_words');
  });
  expect(invoice).toMatchObject({ weight: 3, evidence: { documents: 3 } });
  expect(invoice?.evidence.approvedWords).toContain('invoice');
  expect(invoice?.value).toBeGreaterThan(0);
  expect(payroll?.value).toBeLessThan(0);
});
