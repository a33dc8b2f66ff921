import { analyse } from 'chardet';

/** Below this confidence, the sample was too small for the detector. */
const LEAST_CONFIDENCE = 20;

/** Most undeclared texts are in it, and every byte is valid in it. */
const LIKELIEST = 'windows-1252';

/**
 * Common characters of each double-byte encoding (first group) among all its characters, as bytes read as Latin-1. A
 * few words are too short for statistics, but rarely contain a rare character.
 */
const DOUBLE_BYTE: readonly [string, RegExp][] = [
  ['shift_jis', /([\x82\x83\x88-\x97][\x40-\xfc])|[\x81-\x9f\xe0-\xfc][\x40-\xfc]|[\x80-\xff]/g],
  ['euc-kr', /([\xb0-\xc8][\xa1-\xfe])|[\x81-\xfe][\x40-\xfe]|[\x80-\xff]/g],
  ['gb18030', /([\xb0-\xd7][\xa1-\xfe])|[\x81-\xfe][\x40-\xfe]|[\x80-\xff]/g],
  ['euc-jp', /([\xa4\xa5\xb0-\xcf][\xa1-\xfe])|[\xa1-\xfe][\xa1-\xfe]|[\x80-\xff]/g],
  ['big5', /([\xa4-\xc6][\x40-\x7e\xa1-\xfe])|[\x81-\xfe][\x40-\xfe]|[\x80-\xff]/g],
];
const LEAST_CHARACTERS = 2;
const COMMON_SHARE = 0.8;

/** Whether a text decoder knows the label, in any case. Labels come from files. */
export function isKnownEncoding(label: string): boolean {
  try {
    return new TextDecoder(label) !== null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
}

/** `isSure`: no other encoding is about as likely that reads the bytes as another text. */
export type Guess = { readonly encoding: string; readonly isSure: boolean };

/** Why a text that was decoded so may differ from what was written; null if it is sure. */
export const doubtOf = ({ isSure }: Guess): 'unknown_encoding' | null => (isSure ? null : 'unknown_encoding');

/** Words with a letter beyond ASCII: on fewer of their letters the statistics say nothing, and on many they are right. */
const FEW_LETTERS = 8;
const MANY_LETTERS = 30;
/** The least difference of two confidences that counts in between. */
const LEAST_MARGIN = 20;
const MARKED_WORD = /[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*/g;

/**
 * The most likely encoding of a text in a single-byte or double-byte set, by language statistics. For short texts, by
 * the share of common characters. ASCII is read the same in all of them.
 */
export function guessEncoding(sample: Uint8Array): Guess {
  const [best, ...others] = analyse(sample).filter(({ name }) => isKnownEncoding(name));
  const latin1 = Buffer.from(sample).toString('latin1');
  const letters = latin1.match(MARKED_WORD)?.join('').length ?? 0;
  const isSure = letters >= MANY_LETTERS || isLatinInAll(sample);
  if (best !== undefined && best.confidence >= LEAST_CONFIDENCE) {
    const label = best.name.toLowerCase();
    // The sample is not valid UTF-8, whatever the detector says. ASCII and Latin-1 are subsets of the most likely
    // encoding.
    const encoding = label === 'utf-8' || label === 'ascii' ? LIKELIEST : new TextDecoder(label).encoding;
    const isAhead = () => {
      const text = new TextDecoder(encoding).decode(sample);
      const rival = others.find(({ name }) => new TextDecoder(name).decode(sample) !== text);
      return best.confidence - (rival?.confidence ?? 0) >= LEAST_MARGIN;
    };
    return { encoding, isSure: isSure || (letters >= FEW_LETTERS && isAhead()) };
  }
  const [common, rival] = shortDoubleByte(latin1);
  return {
    encoding: common?.label ?? LIKELIEST,
    isSure: isSure || (common !== undefined && common.share > (rival?.share ?? 0)),
  };
}

/** Code pages for languages in Latin script. They share most letters of the western ones. */
const LATIN = ['windows-1250', 'windows-1254', 'windows-1257'];
/** Letters of a text for each letter that one of these pages reads differently. Languages that need the page have more. */
const RARE = 1_000;
const LETTER = /[\p{L}\p{M}]/u;
const WORD = /[\p{L}\p{M}]*[^\0-\x7f][\p{L}\p{M}]*/gu;

/**
 * Whether it is of Latin words, and all code pages for them read it as the same text, or nearly all of a long one. Signs
 * are no letters of another page unless they are in a word: `£5`, but `z³oty`.
 */
function isLatinInAll(sample: Uint8Array): boolean {
  const text = new TextDecoder(LIKELIEST).decode(sample);
  const readings = LATIN.map((label) => new TextDecoder(label).decode(sample));
  let letters = 0;
  let others = 0;
  let doubtful = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    for (let i = index; i < index + word.length; i++) {
      const character = text.charAt(i);
      if (character <= '\x7f') letters++;
      else if (LETTER.test(character)) others++;
      else if (!LETTER.test(text.charAt(i - 1) + text.charAt(i + 1))) continue;
      if (readings.some((reading) => reading.charAt(i) !== character)) doubtful++;
    }
  }
  return letters >= others && doubtful * RARE <= (text.match(/[a-z]/gi)?.length ?? 0);
}

/** The double-byte encodings with mostly common characters, the one with the most first. */
function shortDoubleByte(latin1: string): { label: string; share: number }[] {
  return DOUBLE_BYTE.flatMap(([label, pattern]) => {
    const found = [...latin1.matchAll(pattern)];
    const common = found.filter(([, isCommon]) => isCommon !== undefined).length;
    const share = common / found.length;
    return common >= LEAST_CHARACTERS && share > COMMON_SHARE ? [{ label, share }] : [];
  }).sort((a, b) => b.share - a.share);
}
