import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHits, searchText } from '../../../core/detectors/engine/detect.ts';
import { DETECTORS } from '../../../core/detectors/index.ts';
import { hiddenExcerpts, redactedExcerpts } from '../../../core/detectors/redaction.ts';

const excerptsOf = (text: string, max = 5, width = 160) =>
  redactedExcerpts(text, searchText(text, DETECTORS), { max, width });

const occurrences = (text: string, value: string): number[] => {
  const at = text.indexOf(value);
  return at === -1 ? [] : [at, ...occurrences(text.slice(at + 1), value).map((next) => next + at + 1)];
};

describe('redactedExcerpts', () => {
  it('masks the middle of an identifier and keeps the words around it', () => {
    expect(excerptsOf('Please charge card 4539 1488 0343 6467 today.')).toEqual([
      { detectorId: 'credit_card', text: 'Please charge card 4539 •••• •••• 6467 today.' },
    ]);
  });

  it('masks the value alone, and leaves what stands beside it', () => {
    const texts = [
      "email) VALUES ('ann@example.com', 1",
      '邮箱ann@example.com。谢谢',
      'to ann@example.com.Next',
    ];
    expect(texts.map((text) => excerptsOf(text)[0]?.text)).toEqual([
      "email) VALUES ('a••@•••••••.••m', 1",
      '邮箱a••@•••••••.••m。谢谢',
      'to a••@•••••••.••m.Next',
    ]);
  });

  it('masks the other identifiers of the window too, secrets whole', () => {
    const text = 'SSN 308-63-0237 of anna.muster@example.com, password=Tr0ub4dor&3 and order 77889900';
    const [first] = excerptsOf(text);
    expect(first?.text).toBe(
      'SSN 30•-••-••37 of a•••.••••••@•••••••.••m, password=•••••••• and order ••••••••',
    );
  });

  it.each([
    ['double spaces', '4539  1488  0343  6467'],
    ['tabs', '4539\t1488\t0343\t6467'],
    ['lines', '308-63-\n0237'],
    ['a hard space', '308\u00a063\u00a00237'],
    ['other marks', '4539_1488–0343,6467'],
    ['signs', '4539|1488+0343=6467'],
    ['digits that are underlined', '4\u03325\u03323\u03329\u0332 1488'],
    ['more digits than any number has', '4539 '.repeat(11).trim()],
    ['Arabic digits', '٤٥٣٩١٤٨٨٠٣٤٣٦٤٦٨'],
    ['digits of full width', '４５３９ １４８８ ０３４３ ６４６８'],
    ['a key', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLzKEY'],
  ])('shows nothing of what no detector knows, but may be an identifier: %s', (_, value) => {
    const [excerpt] = excerptsOf(`anna.muster@example.com wrote ${value} today`);
    expect(excerpt?.text).toBe('a•••.••••••@•••••••.••m wrote •••••••• today');
  });

  it('is well-formed where the width cuts a character in two', () => {
    for (let width = 20; width < 60; width++) {
      const [excerpt] = excerptsOf(`${'12345 é 😀 '.repeat(10)}a@b.de ${'😀😀😀 '.repeat(10)}`, 1, width);
      expect(excerpt?.text.isWellFormed()).toBe(true);
    }
  });

  it('returns one excerpt per detector before a second of any, and no more than asked', () => {
    const text = `${'card 4539 1488 0343 6467. '.repeat(3)}${'word '.repeat(60)}mail a@example.com`;
    expect(excerptsOf(text, 2, 60).map(({ detectorId }) => detectorId)).toEqual([
      'credit_card',
      'email_address',
    ]);
    expect(excerptsOf(text, 1, 60)).toHaveLength(1);
    expect(excerptsOf(text, 0, 60)).toEqual([]);
    expect(excerptsOf('nothing to see', 3)).toEqual([]);
  });

  it('shows at most the ends of an identifier, in any place and width of an excerpt', () => {
    const piece = fc.constantFrom(...DETECTORS.flatMap((detector) => detector.examples.hits));
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 10, max: 200 }),
        (pieces, width) => {
          const text = pieces.join(' and the next one: ');
          const hits = findHits(text, DETECTORS).flatMap((found) => found.hits);
          const isFound = (start: number, end: number) =>
            hits.some((hit) => hit.start <= start && end <= hit.end);
          // What stands in the text a second time, where its surroundings say nothing of it, may be shown there.
          const hidden = [...new Set(hits.map(({ start, end }) => text.slice(start, end)))].filter(
            (value) =>
              value.length >= 8 && occurrences(text, value).every((at) => isFound(at, at + value.length)),
          );
          for (const excerpt of excerptsOf(text, 10, width)) {
            expect(excerpt.text.length).toBeLessThanOrEqual(width);
            for (const value of hidden) expect(excerpt.text).not.toContain(value.slice(1, -1));
          }
        },
      ),
    );
  });
});

describe('hiddenExcerpts', () => {
  const BOUNDS = { opening: 300, max: 3, width: 80 };
  const hidden = (text: string) => hiddenExcerpts(text, searchText(text, DETECTORS), BOUNDS);
  const IDENTIFIERS = [
    '4539 1488 0343 6467',
    '308-63-0237',
    'anna.muster@example.com',
    'DE89 3704 0044 0532 0130 00',
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLzKEY',
  ];

  it('are the start of the text and what is around later identifiers', () => {
    const text = `Payment advice of the bank. ${'Nothing to see here. '.repeat(30)} IBAN DE89 3704 0044 0532 0130 00 of it`;
    const [start, around, ...more] = hidden(text);
    expect(start).toMatch(/^Payment advice of the bank\. Nothing/);
    expect(around).toContain('IBAN ••••••••');
    expect(more).toEqual([]);
  });

  it('keep no digits beside an identifier that another reading of them would take', () => {
    const all = hidden(
      '4539 1488 0343 6467 4539 1488 0343 6467 DE89 3704 0044 0532 0130 00 308-63-0237 card invoice of the month',
    );
    expect(all.join(' ')).not.toMatch(/\d/);
  });

  it('hide digits that go on and on', () => {
    const text = '4539 1488 0343 6467 '.repeat(20_000);
    expect(hidden(text).join(' ')).not.toMatch(/\d/);
  });

  it('keep no end of an identifier readable, wherever it is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('invoice of the month', 'IBAN', 'SSN', 'card', 'from', ...IDENTIFIERS), {
          minLength: 1,
          maxLength: 60,
        }),
        (parts) => {
          const all = hidden(parts.join(' ')).join('\n');
          for (const piece of ['4539', '6467', '308', '0237', 'DE89', '3704', 'muster', 'wJal'])
            expect(all).not.toContain(piece);
        },
      ),
    );
  });

  it('stay within their bounds in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (text) => {
        const all = hidden(text);
        expect(all.length).toBeLessThanOrEqual(4);
        for (const [at, each] of all.entries()) {
          expect(each.length).toBeLessThanOrEqual(at === 0 ? BOUNDS.opening : Math.max(BOUNDS.width, 300));
          expect(each.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it('begin with text that has no white space', () => {
    expect(hidden('請求書、金額。'.repeat(100))[0]).toHaveLength(300);
    expect(hidden('')).toEqual([]);
  });
});
