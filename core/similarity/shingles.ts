import { hash32 } from '../kernel/hash.ts';
import { fold } from '../kernel/words.ts';
import { mix32 } from './sketch.ts';

const WORDS_PER_SHINGLE = 5;
const UNDERSCORE = 0x5f;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;
/** By UTF-16 code unit: 0 for unknown, 1 for a part of a word, 2 for anything else. */
const CHARACTERS = new Uint8Array(0x1_0000);

/**
 * A code point outside the first plane consists of two surrogates, which count as letters. Such characters therefore
 * form words.
 */
function isWordUnit(unit: number): boolean {
  const known = CHARACTERS[unit];
  if (known !== 0) return known === 1;
  const surrogate = unit >= 0xd800 && unit <= 0xdfff;
  const word = surrogate || unit === UNDERSCORE || WORD_CHARACTER.test(String.fromCharCode(unit));
  CHARACTERS[unit] = word ? 1 : 2;
  return word;
}

/**
 * Hashes of all sequences of five words, including numbers, in any letter case. Versions of a text share them. It
 * takes one pass without a string per word. No value can be read from a hash.
 */
export function eachShingle(text: string, add: (hash: number) => void): void {
  const lower = text.normalize('NFC').toLowerCase();
  const last = new Int32Array(WORDS_PER_SHINGLE);
  let count = 0;
  let word = 0;
  let inWord = false;
  for (let at = 0; at <= lower.length; at++) {
    const unit = at < lower.length ? lower.charCodeAt(at) : 0;
    if (isWordUnit(unit)) {
      word = Math.imul((inWord ? word : 0x811c9dc5) ^ unit, 0x01000193);
      inWord = true;
    } else if (inWord) {
      inWord = false;
      last[count % WORDS_PER_SHINGLE] = word;
      count++;
      if (count < WORDS_PER_SHINGLE) continue;
      let hash = 0;
      for (let back = 0; back < WORDS_PER_SHINGLE; back++)
        hash = Math.imul(hash ^ (last[(count + back) % WORDS_PER_SHINGLE] ?? 0), 0x9e3779b1) ^ (hash >>> 15);
      add(mix32(hash));
    }
  }
}

const MAX_LINE_CHARACTERS = 2_000;
/** A short label before a short value. */
const LABEL = /^([^:\t]{1,60})[:\t]\s{0,20}\S.{0,80}$/;
const HOLDS_VALUE = /[\d@/\\]/;
const WHITE_SPACE = /\s+/;
const ONLY_LETTERS = /^[a-z]+$/;
const NO_LETTER = /\P{L}/gu;
const SENTENCE_END = /[.!?]$/;
const NUMBER = '#';
const NAME = '*';
const PIECE = 3;

/**
 * Hashes of what documents of one template share: their lines without the values. Of `label: value` only the label is
 * kept. A word with a digit, an address or a path becomes a number. A capitalized word within a sentence becomes a
 * name. The numbers and names themselves are dropped.
 */
export function eachTemplatePiece(text: string, add: (hash: number) => void): void {
  for (const line of text.split(/\r?\n/)) {
    const skeleton = skeletonOf(line.slice(0, MAX_LINE_CHARACTERS).trim());
    if (skeleton.every((word) => word === NUMBER || word === NAME)) continue;
    for (let at = 0; at === 0 || at + PIECE <= skeleton.length; at++)
      add(hash32(skeleton.slice(at, at + PIECE).join(' ')));
  }
}

function skeletonOf(line: string): string[] {
  const label = LABEL.exec(line)?.[1];
  const skeleton: string[] = [];
  let opens = true;
  for (const word of (label ?? line).split(WHITE_SPACE)) {
    const kept = HOLDS_VALUE.test(word) ? NUMBER : !opens && isCapitalized(word) ? NAME : literal(word);
    opens = SENTENCE_END.test(word);
    // A value counts as one word, however many it has.
    if (kept !== '' && !(kept === skeleton.at(-1) && (kept === NUMBER || kept === NAME))) skeleton.push(kept);
  }
  return label === undefined ? skeleton : [...skeleton, ':'];
}

/** Words in capitals do not count, because headings are written so. */
const isCapitalized = (word: string): boolean => word !== word.toLowerCase() && word !== word.toUpperCase();

function literal(word: string): string {
  const folded = fold(word);
  return ONLY_LETTERS.test(folded) ? folded : folded.replace(NO_LETTER, '');
}
