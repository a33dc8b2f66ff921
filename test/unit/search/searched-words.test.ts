import { expect, test } from 'vitest';
import { findHits } from '../../../core/detectors/engine/detect.ts';
import { DETECTORS } from '../../../core/detectors/index.ts';
import { wordHash } from '../../../core/kernel/search-words.ts';
import { searchedWords } from '../../../core/search/searched-words.ts';

const wordsOf = (text: string) => {
  const kept = new Set(searchedWords(text, findHits(text, DETECTORS)));
  return (word: string) => kept.has(wordHash(word));
};

test('the words of a text are kept, function words too, in the singular', () => {
  const has = wordsOf('Merger of the two bakeries AND their suppliers near Ghent');
  expect(['merger', 'and', 'the', 'bakery', 'bakeries', 'supplier', 'near'].map(has)).not.toContain(false);
  expect(has('absent')).toBe(false);
});

test('no word with a digit is, and none that a detector found, wherever it stands', () => {
  const text =
    'Please pay to NL91ABNA0417164300 for order A4711. Write to alice.example@widgets.example, and call Alice about it.';
  expect(findHits(text, DETECTORS).map(({ detector }) => detector.id)).toContain('email_address');
  const has = wordsOf(text);
  expect(['alice', 'example', 'widgets', 'a4711', 'nl91abna0417164300'].map(has)).not.toContain(true);
  expect(['please', 'pay', 'order', 'call'].map(has)).not.toContain(false);
});

test('of a long text those at the start and the frequent ones are, bounded', () => {
  const letters = (n: number) => [...String(n)].map((digit) => 'bcdfghjklm'.charAt(Number(digit))).join('');
  const rare = Array.from({ length: 5_000 }, (_, n) => `rare${letters(n)}`);
  const text = `Prospectus ${rare.join(' ')} ${'dividend '.repeat(3)}`;
  const has = wordsOf(text);
  expect(['prospectus', 'dividend'].map(has)).toEqual([true, true]);
  expect(searchedWords(text, [])).toHaveLength(800);
});

test('a text of nothing but spaces, marks or one endless word gives next to nothing', () => {
  expect(searchedWords('', [])).toEqual([]);
  expect(searchedWords(' \u0000\n–'.repeat(1_000), [])).toEqual([]);
  expect(searchedWords('a'.repeat(1_000_000), [])).toEqual([]);
});
