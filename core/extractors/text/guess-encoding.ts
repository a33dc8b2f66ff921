import { analyse } from 'chardet';

/** Below this the detector has counted too little to tell. */
const LEAST_CONFIDENCE = 20;

/** In which every byte has a meaning, and what most undeclared texts are in. */
const LIKELIEST = 'windows-1252';

/**
 * What the common characters of each double-byte set look like (first group), among all of its characters, in bytes
 * taken as Latin-1. A few words are too short for statistics, but rarely hold a rare character.
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

/** True when a text decoder knows the label, whatever its case; labels come out of files. */
export function isKnownEncoding(label: string): boolean {
  try {
    return new TextDecoder(label) !== null;
  } catch {
    return false;
  }
}

/**
 * The likeliest label for a text of a single or double-byte set, by the detector's statistics of languages or, where
 * it is too short for them, by how common its characters would be.
 */
export function guessEncoding(sample: Uint8Array): string {
  const best = analyse(sample).find(({ name }) => isKnownEncoding(name));
  if (best !== undefined && best.confidence >= LEAST_CONFIDENCE) {
    const label = best.name.toLowerCase();
    // What the detector calls UTF-8 was seen to be none, and its ASCII and Latin-1 are within the likeliest.
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
