import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchText } from '../../../core/detectors/engine/detect.ts';
import { DETECTORS } from '../../../core/detectors/index.ts';
import { redactedOpening } from '../../../core/detectors/redaction.ts';

const MOST = 400;
const opening = (text: string, most = MOST) => redactedOpening(text, searchText(text, DETECTORS), most);

/** Words of no interest, so that what follows begins at this place. */
const before = (place: number) => 'go '.repeat(Math.ceil(place / 3)).slice(0, place);

test('a short text is shown whole, with masked identifiers', () => {
  expect(opening('Please charge card 4539 1488 0343 6467\n\n today.')).toBe(
    'Please charge card 4539 •••• •••• 6467 today.',
  );
  expect(opening('')).toBe('');
});

test('a long text ends at a space, at most 400 characters from its start', () => {
  const shown = opening(`${'word '.repeat(79)}across the bound`);
  expect(shown).toBe('word '.repeat(79).trim());
  expect(opening('今天天气很好，'.repeat(100))).toHaveLength(MOST);
});

test.each([
  ['a card number', '4539 1488 0343 6467', '1488'],
  ['an account number', 'DE89 3704 0044 0532 0130 00', '0440'],
  ['an address of mail', 'anna.musterfrau@example.com', 'musterfrau'],
  ['a secret', 'password=Tr0ub4dorAndMore', 'Tr0ub4dor'],
])('%s across the bound shows no more than its ends', (_, value, middle) => {
  for (let place = MOST - value.length - 5; place <= MOST + 5; place++) {
    for (const spaced of [`${before(place)} ${value} and more`, `${before(place - 1)} ${value}`]) {
      const shown = opening(spaced);
      expect(shown).not.toContain(middle);
      expect(shown.length).toBeLessThanOrEqual(MOST);
      expect(shown.isWellFormed()).toBe(true);
    }
  }
});

test('beyond the bounds of a detector, what may be an identifier is masked', () => {
  const names = 'Anna Musterfrau, Bernd Beispiel, '.repeat(20_000);
  expect(opening(`${names} 4539 1488 0343 6467`, 60)).not.toMatch(/Musterfrau|Beispiel/);
});

test('no identifier of any detector shows its middle, wherever it lies', () => {
  const piece = fc.constantFrom(...DETECTORS.flatMap(({ examples }) => examples.hits));
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.nat(MOST), (pieces, place) => {
      const text = `${before(place)} ${pieces.join(' and then ')}`;
      const shown = opening(text);
      const { hits } = searchText(text, DETECTORS);
      for (const { start, end } of hits.flatMap((each) => each.hits)) {
        const value = text.slice(start, end);
        if (value.length >= 12 && /\d{6}/.test(value)) expect(shown).not.toContain(value);
      }
      expect(shown.length).toBeLessThanOrEqual(MOST);
    }),
    { numRuns: 60 },
  );
});
