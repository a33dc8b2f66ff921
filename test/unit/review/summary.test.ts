import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Signal } from '../../../core/detectors/detector.ts';
import { builtInTitles } from '../../../core/detectors/on-demand.ts';
import { NO_ANSWERS } from '../../../core/inference/answers-so-far.ts';
import {
  type Contribution,
  FIRST_ENSEMBLE,
  infer,
  STARTING_POINT,
} from '../../../core/inference/inference.ts';
import { indexTaxonomy } from '../../../core/inference/taxonomy-index.ts';
import { basisOf, explainChange, summarize } from '../../../core/review/summary.ts';
import { strength } from '../../../core/review/wording.ts';
import { analyse } from '../../../core/scan/analyse.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const signal = (detectorId: string, count: number, tiers: Signal['tiers']): Signal => ({
  detectorId,
  detectorVersion: 1,
  family: 'bank',
  count,
  confidence: 0.9,
  tiers,
  positions: [],
});
const reason = (name: Contribution['name'], evidence: Contribution['evidence'], value = 1): Contribution => ({
  name,
  weight: 1,
  score: value,
  value,
  evidence,
});

const titles = await builtInTitles();

const PLACE = { name: 'May.xlsx', path: 'HR/Gehaltsabrechnung/May.xlsx' };

const payroll = {
  informationTypeName: 'Payroll',
  domainName: 'Human Resources',
  band: 'high',
  askedBecause: 'inferred',
} as const;
const says = (contributions: Contribution[], signals: Signal[] = [], asked = {}) =>
  summarize({ ...payroll, ...asked }, basisOf([STARTING_POINT, ...contributions], signals), PLACE, titles);

describe('the sentence about a question', () => {
  test('names identifiers, words, folders and like assets', () => {
    const signals = [
      signal('iban', 4, { checksum: 3, sample: 1 }),
      signal('de_tax_id', 13, { checksum_and_context: 13 }),
      signal('phone_number', 9, { pattern: 9 }),
    ];
    const found = [
      reason('detector_signals', { detectors: ['de_tax_id', 'iban'] }),
      reason('indicator_keywords', { keywords: ['net pay'] }),
      reason('name_and_path', { name: [], path: ['payroll'] }),
      reason('confirmed_near_copies', { confirmed: 3, refused: 0 }),
    ];
    expect(says(found, signals)).toBe(
      'Looks like Payroll: 16 identifiers that pass their checksums (German tax identification number, ' +
        'International bank account number), words in its text that mean net pay, the word “Gehaltsabrechnung” in its folders; ' +
        'like 3 others that owners confirmed.',
    );
  });

  test.each([
    [
      'one identifier',
      [reason('detector_signals', { detectors: ['iban'] })],
      [signal('iban', 1, { checksum: 1 })],
      'Looks like Payroll: 1 identifier that passes its checksum (International bank account number).',
    ],
    [
      'no checksum',
      [reason('detector_signals', { detectors: ['salary_amount'] })],
      [signal('salary_amount', 2, { context: 2 })],
      'Looks like Payroll: 2 identifiers (Salary or other pay).',
    ],
    [
      'a checksum that passes by chance',
      [reason('detector_signals', { detectors: ['ca_sin'] })],
      [{ ...signal('ca_sin', 30, { checksum: 30 }), confidence: 0.04 }],
      'Looks like Payroll: 30 identifiers (Canadian social insurance number).',
    ],
    [
      'a detector of the tenant',
      [reason('detector_signals', { detectors: ['cdt_7'] })],
      [signal('cdt_7', 2, { pattern: 2 })],
      'Looks like Payroll: 2 identifiers (cdt_7).',
    ],
    [
      'the text alone',
      [reason('embedding_similarity', { nearness: 0.4 })],
      [],
      'Looks like Payroll: its text resembles the definition.',
    ],
    [
      'words against it',
      [reason('lexical_similarity', { terms: ['menu'] }, -1)],
      [],
      'Looks like Payroll: its text resembles the definition.',
    ],
    [
      'its place',
      [reason('location_expectation', { expectedDomainId: 'dom_1' })],
      [],
      'Looks like Payroll: a place where such documents are expected.',
    ],
    [
      'one like it',
      [reason('confirmed_copies', { confirmed: 1, refused: 0 })],
      [],
      'Looks like Payroll: its text resembles the definition; like 1 other that owners confirmed.',
    ],
  ] as const)('by %s', (_, contributions, signals, sentence) => {
    expect(says([...contributions], [...signals])).toBe(sentence);
  });

  test('says whose word it is where no model suggests it', () => {
    const asked = (more: object) => summarize({ ...payroll, band: 'routed', ...more }, null, PLACE, titles);
    expect(asked({ askedBecause: 'routed', informationTypeName: null })).toBe(
      'Somebody of another domain says that it belongs to Human Resources.',
    );
    expect(asked({ askedBecause: 'inferred' })).toBe('A correction says that it is Payroll.');
    expect(asked({ askedBecause: 'content_changed' })).toContain('its content has changed since');
    expect(summarize(payroll, null, PLACE, titles)).toBe('The model tells no reasons why it is Payroll.');
  });
});

describe('what a summary quotes', () => {
  const type = (informationTypeId: string, name: string, definition: string, keywords: string[]) => ({
    ...{ informationTypeId, name, definition, domainId: 'dom_hr', sensitivity: 'confidential' as const },
    indicators: { detectors: [], keywords },
  });
  const taxonomy = indexTaxonomy(
    {
      domains: [
        { domainId: 'dom_hr', name: 'Human Resources', description: '', inclusion: '', exclusion: '' },
      ],
      informationTypes: [
        type('ift_contracts', 'Employment contracts', 'Contracts between employer and employee.', [
          'employment contract',
          'employee',
          'employer',
          'zeppelin',
        ]),
        type('ift_pay', 'Payroll', 'Salary, bonus and deductions of employees.', ['gross pay', 'salary']),
      ],
    },
    null,
  );
  const asked = (name: string, text: string, vocabulary: readonly number[] | null) => {
    const path = `HR/${name}`;
    const { features } = analyse(text, {
      ...{ name, path, contentHash: null, excerpts: { max: 0, width: 0 }, detectors: [], homes: [] },
      ...{ fingerprintKey: null, forOpinion: false, vocabulary },
    });
    return infer({
      features,
      taxonomy,
      ensemble: FIRST_ENSEMBLE,
      expectedDomainId: null,
      related: [],
      refusedBy: [],
      answers: NO_ANSWERS,
    }).map(({ contributions, informationTypeId }) =>
      summarize(
        { ...payroll, informationTypeName: informationTypeId },
        basisOf(contributions, features.signals, features.spellings),
        { name, path },
        titles,
      ),
    );
  };
  const vocabulary = [...taxonomy.rarities.keys()];
  const quotesOf = (summary: string, where: string) =>
    [...summary.matchAll(new RegExp(`the words? ((?:“[^”]*”(?:, )?)+) in its ${where}`, 'g'))].flatMap(
      (match) => [...(match[1] ?? '').matchAll(/“([^”]*)”/g)].map(([, word = '']) => word),
    );
  const wordsOf = (text: string) => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

  test('stands in the name and the text, spelled as there', () => {
    const [summary] = asked(
      'Arbeitsvertrag Hugo Walker.docx',
      'Zwischen dem Arbeitgeber und dem Arbeitnehmer Hugo Walker wird ein Vertrag geschlossen: ZEPPELINS. '.repeat(
        4,
      ),
      vocabulary,
    );
    expect(summary).toBe(
      'Looks like ift_contracts: the words “Arbeitnehmer”, “Arbeitgeber”, “ZEPPELINS” in its text, ' +
        'the word “Arbeitsvertrag” in its name.',
    );
  });

  test('has the title of a text without a short line: its first words', () => {
    const text =
      'Arbeitsvertrag. Zwischen dem Arbeitgeber und dem Arbeitnehmer wird ein Vertrag geschlossen.';
    const { features } = analyse(text, {
      ...{
        name: 'a',
        path: 'a',
        contentHash: null,
        excerpts: { max: 0, width: 0 },
        detectors: [],
        homes: [],
      },
      ...{ fingerprintKey: null, forOpinion: false, vocabulary },
    });
    expect(features.spellings?.title).toContain('Arbeitsvertrag');
  });

  test('is nothing of the text if no spelling is kept', () => {
    const [summary = ''] = asked('scan.pdf', 'Der Arbeitnehmer und sein Arbeitgeber. '.repeat(8), null);
    expect(summary).toBe('Looks like ift_contracts: words in its text that mean employee, employer.');
  });

  test('stands there whatever the name and the text are, and is said once', () => {
    const word = fc.constantFrom(
      ...[
        'Arbeitsvertrag',
        'ARBEITNEHMER',
        'employees',
        'Employer',
        'Gehälter',
        'salaire',
        'contrats',
        'zeppelin',
      ],
      ...[
        'Walker',
        'Hugo',
        'MüllerVertrag',
        'Müllervertrag',
        'und',
        'Vertrag',
        'gross',
        'pay',
        'payroll',
        '2024',
      ],
    );
    const sentence = (most: number) =>
      fc.array(word, { minLength: 1, maxLength: most }).map((all) => all.join(' '));
    fc.assert(
      fc.property(sentence(4), sentence(60), fc.boolean(), (name, text, knows) => {
        for (const summary of asked(`${name}.docx`, text, knows ? vocabulary : [])) {
          const inText = quotesOf(summary, 'text');
          const inName = quotesOf(summary, 'name');
          for (const each of inText) expect(wordsOf(text)).toContain(each);
          for (const each of inName) expect(wordsOf(name)).toContain(each);
          const all = [...inText, ...inName, ...quotesOf(summary, 'folders')].map((each) =>
            each.toLowerCase(),
          );
          expect(new Set(all).size).toBe(all.length);
          expect((summary.match(/“/g) ?? []).length).toBe(all.length);
          expect(inText.join(' ')).not.toMatch(/Walker|Hugo|Müllervertrag/);
        }
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

test('each change is a sentence', () => {
  expect([
    explainChange({ kind: 'new_identifiers', detectorIds: ['iban', 'cdt_7'] }, titles),
    explainChange({ kind: 'more_sensitive', judgedLevel: 1, level: 3 }, titles),
    explainChange({ kind: 'other_type', informationTypeId: 'ift_1' }, titles),
    explainChange({ kind: 'text_replaced' }, titles),
    explainChange({ kind: 'text_not_comparable' }, titles),
  ]).toEqual([
    'It now holds identifiers of kinds that it did not hold: International bank account number, cdt_7.',
    'It now looks restricted; it was judged as internal.',
    'It now looks like another information type than those that were suggested then.',
    'Its text has changed by more than half.',
    'Its text has changed, and is too short to tell by how much.',
  ]);
});

test.each([
  [-4, 'speaks strongly against it'],
  [2, 'speaks strongly for it'],
  [0.75, 'speaks clearly for it'],
  [-0.2, 'speaks slightly against it'],
])('a reason of %d %s', (value, words) => {
  expect(strength(value)).toBe(words);
});
