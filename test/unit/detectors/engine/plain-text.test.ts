import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHits, searchText } from '../../../../core/detectors/engine/detect.ts';
import { plainText } from '../../../../core/detectors/engine/plain-text.ts';
import { fingerprintOf } from '../../../../core/detectors/fingerprints.ts';
import { DETECTORS } from '../../../../core/detectors/index.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const valuesOf = (text: string, detectorId: string) =>
  findHits(text, DETECTORS)
    .filter(({ detector }) => detector.id === detectorId)
    .flatMap(({ hits }) => hits.map(({ start, end }) => text.slice(start, end)));

describe('the text that detectors read', () => {
  it.each([
    ['417\u201182\u20110936', '417-82-0936'],
    ['417\u201382\u22120936', '417-82-0936'],
    ['417\u00ad-82\u2060-0936', '417-82-0936'],
    ['DE89\u202f3704\u00a00044', 'DE89 3704 0044'],
    ['\uff14\uff11\uff17\uff0d\uff18\uff12', '417-82'],
    ['٤١٧ ४१७ ๔๑๗ ۴۱۷', '417 417 417 417'],
    ['12345678\u2013Z and B\u201312345678', '12345678-Z and B-12345678'],
    ['Kun\u00adden\u00adnummer', 'Kundennummer'],
  ])('has the characters of ASCII in numbers: %j', (written, plain) => {
    expect(plainText(written).text).toBe(plain);
  });

  it.each([
    'from Monday\u2013Friday',
    'the rule \u2013 12 of them \u2013 holds',
    'Anna\u2014Maria said\u00a0so',
    'DOB\u201412.03.1980',
    '1\u{1d7d8}2',
  ])('leaves %j', (written) => {
    expect(plainText(written).text).toBe(written);
  });

  it('knows where each of its characters is in the written text', () => {
    const pieces = fc.constantFrom('\u00ad', '\u2060', '4', '٤', 'a', '-', '\u2011', ' ');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const written = parts.join('');
        const { text, toWritten, toPlain } = plainText(written);
        expect(text).toHaveLength(parts.filter((part) => !/[\u00ad\u2060]/.test(part)).length);
        for (let at = 0; at < text.length; at++) {
          const of = plainText(written.charAt(toWritten(at))).text;
          expect(of === '\u2011' && text[at] === '-' ? '-' : of).toBe(text[at]);
          expect(toPlain(toWritten(at))).toBe(at);
        }
        expect(toPlain(written.length)).toBe(text.length);
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

describe('a number in other characters', () => {
  it.each([
    ['us_ssn', 'SSN: 523\u201145\u20116781', '523\u201145\u20116781'],
    ['us_ssn', 'social secu\u00adrity number 417\u00ad-82-\u00ad0936.', '417\u00ad-82-\u00ad0936'],
    ['credit_card', 'card 4539\u20131488\u20130343\u20136467', '4539\u20131488\u20130343\u20136467'],
    ['credit_card', 'رقم البطاقة card ٤٥٣٩١٤٨٨٠٣٤٣٦٤٦٧', '٤٥٣٩١٤٨٨٠٣٤٣٦٤٦٧'],
    [
      'iban',
      'IBAN DE89\u20093704\u20090044\u20090532\u20090130\u200900',
      'DE89\u20093704\u20090044\u20090532\u20090130\u200900',
    ],
    ['jp_my_number', 'マイナンバー：１２３４５６７８９０１８', '１２３４５６７８９０１８'],
    ['jp_my_number', 'マイナンバーは123456789018です', '123456789018'],
    ['phone_number', '電話番号：０３－３４５６－７８９１', '０３－３４５６－７８９１'],
  ])('is found, and its value is the written one: %s in %s', (detectorId, text, value) => {
    expect(valuesOf(text, detectorId)).toEqual([value]);
  });

  it('has the fingerprint of the same number in ASCII', () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    const ssn = { id: 'us_ssn', family: 'national_id' } as const;
    const prints = ['417-82-0936', '417\u201182\u22120936', '417\u00ad-82-\u00ad0936', '٤١٧-٨٢-٠٩٣٦'].map(
      (value) => fingerprintOf(key, ssn, value),
    );
    expect(new Set(prints).size).toBe(1);
  });

  it('keeps the offsets of the columns of a table', () => {
    const text = 'a\u00adb\n417\u00ad-82-0936\n318-22-7745\n';
    const column = { number: 2, comment: null, isNumber: false, isKey: false };
    const { hits, valueAt } = searchText(text, DETECTORS, undefined, undefined, [
      { ...column, name: 'note', number: 1, start: 0, end: 4, values: 1 },
      { ...column, name: 'ssn', start: 4, end: text.length, values: 2 },
    ]);
    const ssn = hits.find(({ detector }) => detector.id === 'us_ssn');
    expect(ssn?.hits.map(({ start, end }) => text.slice(start, end))).toEqual([
      '417\u00ad-82-0936',
      '318-22-7745',
    ]);
    expect(valueAt(6)).toEqual({ start: 4, end: 16, column: 'ssn' });
  });
});
