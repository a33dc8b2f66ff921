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

/**
 * The most likely encoding of a text in a single-byte or double-byte set, by language statistics. For short texts, by
 * the share of common characters.
 */
export function guessEncoding(sample: Uint8Array): string {
  const best = analyse(sample).find(({ name }) => isKnownEncoding(name));
  if (best !== undefined && best.confidence >= LEAST_CONFIDENCE) {
    const label = best.name.toLowerCase();
    // The sample is not valid UTF-8, whatever the detector says. ASCII and Latin-1 are subsets of the most likely
    // encoding.
    return label === 'utf-8' || label === 'ascii' ? LIKELIEST : new TextDecoder(label).encoding;
  }
  return shortDoubleByte(Buffer.from(sample).toString('latin1')) ?? LIKELIEST;
}

function shortDoubleByte(latin1: string): string | null {
  let best: string | null = null;
  let bestShare = COMMON_SHARE;
  for (const [label, pattern] of DOUBLE_BYTE) {
    let all = 0;
    let common = 0;
    for (const [, isCommon] of latin1.matchAll(pattern)) {
      all++;
      if (isCommon !== undefined) common++;
    }
    if (common >= LEAST_CHARACTERS && common / all > bestShare) {
      best = label;
      bestShare = common / all;
    }
  }
  return best;
}
