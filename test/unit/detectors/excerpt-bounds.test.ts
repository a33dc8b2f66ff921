import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCustomDetectors } from '../../../core/detectors/custom-detector.ts';
import { defineDetector } from '../../../core/detectors/detector.ts';
import { searchText } from '../../../core/detectors/engine/detect.ts';
import { DETECTORS } from '../../../core/detectors/index.ts';
import { hiddenExcerpts, redactedExcerpts } from '../../../core/detectors/redaction.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const GIVEN = [
  'Anna',
  'Piotr',
  'Giuseppe',
  'Thibault',
  'Ngozi',
  'Xiulan',
  'Ludmila',
  'Clara',
  'Yuki',
  'Olga',
];
const SURNAMES = [
  'Nowak',
  'Kowalski',
  'Rossi',
  'Lefèvre',
  'Okonjo',
  'Petrova',
  'Tanaka',
  'Müller',
  'Solberg',
];
const IBAN = 'DE89370400440532013000';
const MARKS = /^[•\s,;.]*$/;

/** `count` names, all different words beside each other. */
const names = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const surname = SURNAMES[(i * 7 + Math.floor(i / 10)) % SURNAMES.length];
    return `${GIVEN[i % GIVEN.length]} ${surname}`;
  });
/** Names with identifiers among them, around which there are excerpts. */
const listing = (count: number, separator: string, every: number) =>
  names(count)
    .flatMap((name, i) => (i % every === every - 1 ? [name, IBAN] : [name]))
    .join(separator);

const excerptsOf = (text: string, width: number, detectors = DETECTORS) => {
  const found = searchText(text, detectors);
  return [
    ...redactedExcerpts(text, found, { max: 10, width }).map((excerpt) => excerpt.text),
    ...hiddenExcerpts(text, found, { opening: 1_500, max: 3, width }),
  ];
};
/** Words of `hidden` that stand whole in an excerpt. */
const shown = (excerpts: readonly string[], hidden: readonly string[]) =>
  excerpts.flatMap((excerpt) => excerpt.split(/[^\p{L}]+/u)).filter((word) => hidden.includes(word));

describe('an excerpt masks what a bound of a detector leaves out', () => {
  it('3,000 names that only spaces separate', () => {
    const text = listing(3_000, ' ', 250);
    expect(shown(excerptsOf(text, 240), [...GIVEN, ...SURNAMES])).toEqual([]);
  });

  it.each([' ', ', ', '; '])('names in capitals, separated by %j', (separator) => {
    const text = listing(300, separator, 50).toUpperCase();
    const hidden = [...GIVEN, ...SURNAMES].map((name) => name.toUpperCase());
    expect(shown(excerptsOf(text, 240), hidden)).toEqual([]);
  });

  it('shows the words of a heading in capitals', () => {
    const text = `ANNUAL REPORT OF THE FINANCE DEPARTMENT\n\nPaid from ${IBAN} on time.`;
    expect(excerptsOf(text, 240)[0]).toContain('ANNUAL REPORT OF THE FINANCE DEPARTMENT Paid from DE89');
  });

  it('names in any number, place and width, however they are separated', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_500 }),
        fc.constantFrom(' ', '\n', ', ', '; ', '\t'),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 40, max: 240 }),
        fc.integer({ min: 0, max: 20_000 }),
        (count, separator, every, width, before) => {
          const text = `${'Nothing to see here. '.repeat(before / 21)}${listing(count, separator, every)}`;
          expect(shown(excerptsOf(text, width), [...GIVEN, ...SURNAMES])).toEqual([]);
        },
      ),
      { numRuns: propertyRuns(60) },
    );
  });

  it('hits of a detector beyond those that count', () => {
    const word = defineDetector({
      id: 'word',
      version: 1,
      family: 'contact',
      title: 'A word',
      gate: { kind: 'literals', literals: ['wxy'], reach: 8 },
      patterns: [{ regex: /wxy[a-z]{2}/g, context: 'optional' }],
      context: [],
      examples: { hits: [], misses: [] },
    });
    const text = `${'wxyab '.repeat(100_001)} here wxycd is`;
    const found = searchText(`${text} ${IBAN}`, [word, ...DETECTORS.filter(({ id }) => id === 'iban')]);
    const [, second] = redactedExcerpts(`${text} ${IBAN}`, found, { max: 2, width: 60 });
    expect(second?.text).not.toContain('wxycd');
    expect(second?.text).toContain('here');
  });

  it("matches of a tenant's own detector beyond the work that it may do", () => {
    const own = (detectorId: string, pattern: string) => ({
      detectorId,
      version: 1,
      definition: {
        title: 'Own',
        pattern,
        checksum: 'none' as const,
        context: [],
        contextRequired: false,
        examples: { hits: [], misses: [] },
      },
    });
    const detectors = [
      ...DETECTORS.filter(({ id }) => id === 'iban'),
      ...compileCustomDetectors(
        Array.from({ length: 20 }, (_, n) =>
          own(`custom_${n}`, `(?:qx[a-z]{2}[ -]?){1,${20 + n}}end|qx[a-z]{3}`),
        ),
      ),
    ];
    const text = `${'qxabcd '.repeat(60_000)} this qxefg is ${IBAN}`;
    const [excerpt] = redactedExcerpts(text, searchText(text, detectors), { max: 1, width: 60 });
    expect(excerpt?.text).not.toContain('qxefg');
  });

  it('a match that is longer than any of its kind, to the end of its word', () => {
    const detectors = compileCustomDetectors([
      {
        detectorId: 'custom_long',
        version: 1,
        definition: {
          title: 'Own',
          pattern: '[a-z!]{20,}',
          checksum: 'none',
          context: [],
          contextRequired: false,
          examples: { hits: [], misses: [] },
        },
      },
    ]);
    const text = `${'ab!'.repeat(200)} and ${'cd!'.repeat(10)}`;
    const [excerpt] = redactedExcerpts(text, searchText(text, detectors), { max: 1, width: 1_000 });
    expect(excerpt?.text).toMatch(/^[^a-z]*and [^a-z]*.?.?.?[^a-z]*$/);
  });

  it.each([
    ['the end of a key that goes on and on', `a1b2c3d4${'e5f6g7h8'.repeat(124)}tail`, /tail/],
    ['an address with a long local part', `${'first.'.repeat(20)}last@intranet`, /first|last/],
    ['a password that is longer than any', `password=${'Zx9!'.repeat(32)}rest`, /rest/],
  ])('%s', (_, value, part) => {
    const text = `anna.muster@example.com wrote ${value} today`;
    for (const excerpt of excerptsOf(text, 3_000)) expect(excerpt).not.toMatch(part);
  });

  it('passwords in rows that are too long for a table', () => {
    const wide = 'lorem ipsum '.repeat(100);
    const text = `user,password,note\nanna,Winter2024!,short\nomar,Gu9-kd.Ls,${wide}\nolga,Rq7!mm,a@example.com`;
    for (const excerpt of excerptsOf(text, 80)) expect(excerpt).not.toMatch(/Gu9|Rq7/);
  });

  it('digits of which the edge of the excerpt shows a few', () => {
    for (let width = 60; width < 140; width++) {
      const [excerpt = ''] = excerptsOf(
        `of 71 72 73 74 75 76 mail a@example.com of 71 72 73 74 75 76 77 end`,
        width,
      );
      expect(excerpt).not.toMatch(/7\d/);
    }
  });

  it('shows ordinary words far behind the part of a text that is read for names', () => {
    const text = `${'Nothing to see here. '.repeat(3_000)} The invoice was paid from ${IBAN} on time by the bank.`;
    expect(excerptsOf(text, 120)[0]).toContain('The invoice was paid from DE89');
    expect(excerptsOf(text, 120)[0]).not.toMatch(MARKS);
  });
});
