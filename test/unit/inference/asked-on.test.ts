import { describe, expect, it } from 'vitest';
import { NO_ANSWERS } from '../../../core/inference/answers-so-far.ts';
import type { RelatedDecision } from '../../../core/inference/contributions.ts';
import { deriveFeatures } from '../../../core/inference/features.ts';
import { FIRST_ENSEMBLE, infer, scoreTypes } from '../../../core/inference/inference.ts';
import { indexTaxonomy } from '../../../core/inference/taxonomy-index.ts';

const domain = (domainId: string, name: string) => ({
  ...{ domainId, name, description: '', inclusion: '', exclusion: '' },
});
const type = (informationTypeId: string, domainId: string, name: string, definition: string) => ({
  ...{ informationTypeId, domainId, name, definition, sensitivity: 'internal' as const },
  indicators: { detectors: [], keywords: [] },
});
const taxonomy = indexTaxonomy(
  {
    domains: [domain('sales', 'Sales'), domain('legal', 'Legal'), domain('hr', 'Human resources')],
    informationTypes: [
      type(
        'offers',
        'sales',
        'Offers',
        'Offers to customers with prices, discounts, delivery and conditions.',
      ),
      type(
        'terms',
        'legal',
        'Terms',
        'Conditions of delivery, prices, warranty and liability for customers.',
      ),
      type(
        'contracts',
        'hr',
        'Employment contracts',
        'Contracts of employees with salary and working hours.',
      ),
    ],
  },
  null,
);
const TEXT = `Offer and conditions for customers

We offer the following prices with a discount. The conditions of delivery and the warranty follow. Customers accept the
conditions with the order. Prices hold for thirty days, and delivery follows within two weeks of the order. The warranty
covers defects for two years, and liability is limited to the price of the delivery.`;
const features = deriveFeatures({
  ...{ name: 'a.txt', path: 'a.txt', text: TEXT, title: '', contentHash: null, signals: [], embedding: null },
});
const input = {
  ...{ features, taxonomy, ensemble: FIRST_ENSEMBLE, expectedDomainId: null, answers: NO_ANSWERS },
  ...{ related: [] as readonly RelatedDecision[], refusedBy: [] as readonly string[] },
};
const confidenceOf = (of: typeof input, id: string) =>
  scoreTypes(of).find(({ informationTypeId }) => informationTypeId === id)?.confidence ?? Number.NaN;

describe('after a refusal', () => {
  it('the refused domain is no rival of the others, and is scored as before', () => {
    const refused = { ...input, refusedBy: ['sales'] };
    expect(confidenceOf(refused, 'terms')).toBeGreaterThan(confidenceOf(input, 'terms'));
    expect(confidenceOf(refused, 'offers')).toBe(confidenceOf(input, 'offers'));
  });

  it('without a rival that was near, nothing else changes', () => {
    const refused = { ...input, refusedBy: ['hr'] };
    expect(confidenceOf(refused, 'offers')).toBeCloseTo(confidenceOf(input, 'offers'), 2);
  });
});

describe('a refusal of a near-copy', () => {
  const near = (similarity: number, count = 1): RelatedDecision[] =>
    Array.from({ length: count }, () => ({
      ...{
        kind: 'near',
        informationTypeId: 'offers',
        outcome: 'refused',
        likeness: 'same_template',
        similarity,
      },
    }));
  const [best] = infer(input);

  it('lowers the question by how alike the texts are', () => {
    expect(best?.informationTypeId).toBe('offers');
    const [barely, much] = [0.55, 0.8].map((each) =>
      confidenceOf({ ...input, related: near(each) }, 'offers'),
    );
    expect(barely).toBeLessThan(best?.confidence ?? 0);
    expect(much).toBeLessThan(barely ?? 0);
  });

  it('withdraws the only question about an asset not before the second one', () => {
    const alone = { ...input, refusedBy: [], related: near(1) };
    const threshold = FIRST_ENSEMBLE.candidateThreshold;
    const asked = (of: typeof input) => scoreTypes(of).filter(({ confidence }) => confidence >= threshold);
    expect(asked(alone).length).toBeGreaterThan(0);
    const single = {
      ...alone,
      taxonomy: indexTaxonomy(
        {
          domains: [domain('sales', 'Sales')],
          informationTypes: [
            type(
              'offers',
              'sales',
              'Offers',
              'Offers to customers with prices, discounts, delivery and conditions.',
            ),
          ],
        },
        null,
      ),
    };
    expect(asked({ ...single, related: [] }).length).toBe(1);
    const [kept] = asked(single);
    expect(kept?.confidence).toBeCloseTo(threshold, 5);
    expect(kept?.contributions.find(({ name }) => name === 'confirmed_near_copies')?.value).toBeLessThan(0);
    expect(asked({ ...single, related: near(1, 2) })).toEqual([]);
  });
});
