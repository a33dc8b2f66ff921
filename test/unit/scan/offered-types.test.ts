import { expect, test } from 'vitest';
import { NO_ANSWERS } from '../../../core/inference/answers-so-far.ts';
import { deriveFeatures } from '../../../core/inference/features.ts';
import { FIRST_ENSEMBLE, infer } from '../../../core/inference/inference.ts';
import { indexTaxonomy } from '../../../core/inference/taxonomy-index.ts';
import { offeredTypes } from '../../../core/scan/second-opinion.ts';

test('of many types the likeliest are offered, within the bytes, ordered by id', () => {
  const domain = { domainId: 'dom', name: '領域'.repeat(100), description: '', inclusion: '', exclusion: '' };
  const informationTypes = Array.from({ length: 400 }, (_, at) => ({
    informationTypeId: `ift_${String(400 - at).padStart(3, '0')}`,
    domainId: 'dom',
    name: at === 300 ? 'Payroll' : `Kind \ud83d${at} ${'\u0001'.repeat(200)}`,
    definition: `${'定義'.repeat(400)}`,
    sensitivity: 'internal' as const,
    indicators: { detectors: [], keywords: [] },
  }));
  const text = 'Payroll\nOf the month. '.repeat(20);
  const input = {
    features: deriveFeatures({
      ...{ name: 'a', path: '', text, title: '', contentHash: null, signals: [], embedding: null },
    }),
    taxonomy: indexTaxonomy({ domains: [domain], informationTypes }, null),
    ensemble: FIRST_ENSEMBLE,
    expectedDomainId: null,
    related: [],
    refusedBy: [],
    answers: NO_ANSWERS,
  };
  const offered = offeredTypes(input);
  expect(offered.length).toBeGreaterThan(5);
  expect(Buffer.byteLength(JSON.stringify(offered.map((each) => each.offered)))).toBeLessThanOrEqual(24_500);
  const ids = offered.map(({ type }) => type.informationTypeId);
  expect(ids).toEqual(ids.toSorted());
  expect(ids).toContain(infer(input)[0]?.informationTypeId);
  expect(offered.map((each) => each.offered.ref)).toEqual(ids.map((_, at) => `type_${at + 1}`));
  for (const { offered: type } of offered) {
    expect(
      [type.name.length, type.definition.length, type.domain.length].every((length) => length <= 300),
    ).toBe(true);
    expect(type.name.isWellFormed()).toBe(true);
  }
});
