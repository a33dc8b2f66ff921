import fc from 'fast-check';
import validator from 'validator';
import { describe, expect, it } from 'vitest';
import { type Detector, defineDetector } from '../../../core/detectors/detector.ts';
import { detect, findHits } from '../../../core/detectors/engine/detect.ts';
import { withoutEscapes } from '../../../core/detectors/engine/escapes.ts';
import { plainText } from '../../../core/detectors/engine/plain-text.ts';
import { iban } from '../../../core/detectors/finance/iban.ts';
import { IBAN_SAMPLES } from '../../../core/detectors/finance/iban-samples.ts';
import { paymentCard } from '../../../core/detectors/finance/payment-card.ts';
import { DETECTORS } from '../../../core/detectors/index.ts';
import { fold } from '../../../core/kernel/words.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { isSafePattern } from '../../support/safe-pattern.ts';

const patternsOf = (detector: Detector) => ('patterns' in detector ? detector.patterns : []);
const examples = DETECTORS.flatMap(({ examples }) => [...examples.hits, ...examples.misses]);

describe.each(DETECTORS.map((detector) => [detector.id, detector] as const))('%s', (_, detector) => {
  it.each(detector.examples.hits)('finds %j', (text) => {
    expect(detect(text, [detector])).toHaveLength(1);
  });

  it.each(detector.examples.misses)('leaves %j', (text) => {
    expect(detect(text, [detector])).toEqual([]);
  });

  it('has safe patterns, examples of both kinds, and normalized context words', () => {
    for (const { regex } of patternsOf(detector)) expect(isSafePattern(regex), regex.source).toBe(true);
    expect(detector.examples.hits.length).toBeGreaterThan(0);
    expect(detector.examples.misses.length).toBeGreaterThan(0);
    for (const phrase of detector.context) {
      const read = fold(phrase);
      expect(read.match(/[\p{L}\p{N}]+/gu)?.join(' ')).toBe(read);
      if (/\p{Script=Latin}/u.test(phrase)) expect(phrase).toBe(read);
    }
    if (patternsOf(detector).some(({ context }) => context !== 'optional'))
      expect(detector.context).not.toEqual([]);
  });

  if (!('gate' in detector)) return;
  it('loses no hit to its gate', () => {
    const pieces = fc.constantFrom(...detector.examples.hits, ...detector.examples.misses);
    const between = fc.constantFrom(' ', '\n', ' and then the other one, ', '; ', ` ${'word '.repeat(30)}`);
    fc.assert(
      fc.property(fc.array(fc.tuple(pieces, between), { minLength: 1, maxLength: 6 }), (parts) => {
        const text = parts.flat().join('');
        const open = {
          ...detector,
          gate: { kind: 'literals', literals: [withoutEscapes(plainText(text).text)], reach: 0 },
        } as Detector;
        expect(findHits(text, [detector])[0]?.hits).toEqual(findHits(text, [open])[0]?.hits);
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe('the list', () => {
  it('names every detector once, in snake case', () => {
    const ids = DETECTORS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][a-z0-9_]{1,40}$/);
  });
});

describe('detect', () => {
  const one = (text: string) => detect(text, [paymentCard])[0];

  it('says by tier why it is confident', () => {
    expect(one('4539 1488 0343 6467')?.tiers).toEqual({ checksum: 1 });
    expect(one('credit card 4539 1488 0343 6467')?.tiers).toEqual({ checksum_and_context: 1 });
    expect(one('credit card 4111 1111 1111 1111')?.tiers).toEqual({ sample: 1 });
    const confidences = ['4111 1111 1111 1111', '4539 1488 0343 6467', 'card 4539 1488 0343 6467'].map(
      (text) => one(text)?.confidence ?? 0,
    );
    expect(confidences).toEqual([...confidences].sort());
    expect(new Set(confidences).size).toBe(3);
  });

  it('does not take the numbers of goods for cards, unless words say so', () => {
    // Both check digits agree: of the trade number always, of a card in one of ten.
    for (const number of ['4006281110083', '36062811100039']) {
      expect(one(number)?.tiers).toEqual({ pattern: 1 });
      expect(one(`credit card ${number}`)?.tiers).toEqual({ context: 1 });
    }
    expect(one('4006281110091')?.tiers).toEqual({ checksum: 1 });
  });

  it('finds a card of any issuer where a word says so, and there alone', () => {
    const sure = 0.8;
    const luhn = (digits: string) =>
      digits + Array.from('0123456789').find((digit) => validator.isLuhnNumber(digits + digit));
    // A scheme of Turkey: on no list here.
    const bodies = fc.stringMatching(/^9792\d{11,14}$/).filter((body) => !/(\d)\1{9}/.test(body));
    fc.assert(
      fc.property(bodies, (body) => {
        const number = luhn(body);
        expect(one(`card ${number}`)?.tiers).toEqual({ checksum_and_context: 1 });
        expect(one(number)?.confidence ?? 0).toBeLessThan(sure);
        expect(one(`card ${body}${(Number(number.at(-1)) + 1) % 10}`)).toBeUndefined();
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('tells the examples of the IBAN registry from accounts, and each of them is one', () => {
    const confidenceOf = (text: string) => detect(text, [iban])[0]?.confidence;
    for (const sample of IBAN_SAMPLES) expect(confidenceOf(`IBAN ${sample}`), sample).toBe(0.2);
    expect(confidenceOf('IBAN DE75512108001245126199')).toBeGreaterThan(0.9);
  });

  it('reads whole words as context, in other languages and without their accents', () => {
    const tiers = (text: string) => Object.keys(one(text)?.tiers ?? {});
    expect(tiers('cardigan 4539148803436467')).toEqual(['checksum']);
    expect(tiers('Carte bancaire : 4539148803436467')).toEqual(['checksum_and_context']);
    expect(tiers('cartão 4539148803436467')).toEqual(['checksum_and_context']);
    expect(tiers(`card ${'. '.repeat(40)} 4539148803436467`)).toEqual(['checksum']);
    // The reach begins inside "discard", which leaves no "card".
    expect(tiers(`discard${' '.repeat(56)}4539148803436467`)).toEqual(['checksum']);
  });

  it.each([
    ['주민등록번호 8507151031632', 'kr_rrn'],
    ['氏名,マイナンバー\n田中,123456789018\n佐藤,123456789018', 'jp_my_number'],
    ['姓名;身份证号码\n王;11010519491231002X\n', 'cn_resident_id'],
    ['ЕГН: 7523169263', 'bg_personal_id'],
    ['ΑΜΚΑ 15078564182', 'gr_social_security'],
    ['תעודת זהות: 375975935', 'il_id_number'],
  ])('reads words of other scripts as context: %s', (text, detectorId) => {
    const found = detect(text, DETECTORS).find((signal) => signal.detectorId === detectorId);
    expect(Object.keys(found?.tiers ?? {})).toEqual(['checksum_and_context']);
  });

  it('reads the header of a column as context', () => {
    const rows = Array.from({ length: 40 }, (_, i) => `${i},"Doe, Jane",308-63-${1000 + i},x`);
    const signals = detect(['id,name,SSN,note', ...rows].join('\n'), DETECTORS);
    expect(signals.find(({ detectorId }) => detectorId === 'us_ssn')?.tiers).toEqual({ context: 40 });
    const bare = rows.map((row) => row.replaceAll('-', ''));
    const found = (header: string) =>
      detect([header, ...bare].join('\n'), DETECTORS).map((s) => s.detectorId);
    expect(found('id,name,SSN,note')).toContain('us_ssn');
    expect(found('id,name,code,SSN')).not.toContain('us_ssn');
  });

  it('counts every hit, keeps twenty positions and no value', () => {
    const text = '4539 1488 0343 6467\n'.repeat(50);
    const signal = one(text);
    expect(signal?.count).toBe(50);
    expect(signal?.positions).toHaveLength(20);
    expect(signal?.positions[1]).toEqual([20, 39]);
    expect(JSON.stringify(signal)).not.toMatch(/4539|6467/);
  });

  it('keeps hits that overlap for each detector', () => {
    const ids = detect('call 06-24312407 or visit https://198.18.0.7/', DETECTORS).map((s) => s.detectorId);
    expect(ids).toEqual(expect.arrayContaining(['phone_number', 'ipv4_address']));
    const nested = detect('mailto:4539148803436467@example.com', DETECTORS).map((s) => s.detectorId);
    expect(nested).toEqual(expect.arrayContaining(['credit_card', 'email_address']));
  });

  it('finds nothing else than before in text that surrounds an example', () => {
    fc.assert(
      fc.property(fc.constantFrom(...examples), fc.nat(400), (text, padding) => {
        const count = (of: string) =>
          detect(of, DETECTORS).map(({ detectorId, count }) => [detectorId, count]);
        expect(count(`${'- '.repeat(padding)}\n\n${text}\n\n${'- '.repeat(padding)}`)).toEqual(count(text));
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});

describe('a safe pattern', () => {
  it.each([
    /a+/g,
    /a*b/g,
    /a{2,}/g,
    /(?:a{1,64}){1,64}/g,
    /(?:[a\]]{1,60}b){99}/g,
    /\d{1,50}\d{1,50}/g,
    /(?:\d{1,9}[ -]?){1,9}/g,
    /(?:a|a){1,20}/g,
    /(?=a{1,99}a{1,99}b)a/g,
  ])('is not %s', (regex) => {
    expect(isSafePattern(regex)).toBe(false);
  });

  it.each([/a{1,64}/g, /[+*]{3}\+\*/g, /(?<!a)(?:b{1,5}c){2,9}/g, /a{2}b?/g, /[\]+]{2}/g])(
    'is %s',
    (regex) => {
      expect(isSafePattern(regex)).toBe(true);
    },
  );
});

describe('defineDetector', () => {
  const { examples: _, ...card } = paymentCard;
  const define = (regex: RegExp) =>
    defineDetector({
      ...card,
      patterns: [{ regex, context: 'optional' }],
      examples: { hits: [], misses: [] },
    });

  it.each([/a/, /a/gy])('refuses %s', (regex) => {
    expect(() => define(regex)).toThrow('not global');
  });

  it('returns what it accepts', () => {
    expect(define(/a/g).id).toBe('credit_card');
  });
});
