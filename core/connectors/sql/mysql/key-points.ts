/** How the values of a key are ordered, as far as that is needed to find places between them. */
export type KeyKind = 'integer' | 'time' | 'text' | 'bytes';

/** A value of a key, as it is bound to a statement. Integers and times are texts. */
export type KeyValue = string | Buffer;

/**
 * Places in a range of keys, in ascending order, the first at `min`: one in each of `count` equal parts. The same seed
 * gives the same places. Fewer, or only `min`, if the range has no places between its ends that can be computed.
 * `min` and `max` are the smallest and the largest key of a table.
 */
export function keyPoints(
  kind: KeyKind,
  { min, max }: { min: KeyValue; max: KeyValue },
  count: number,
  seed: number,
): KeyValue[] {
  const line = lineOf(kind, min, max);
  if (line === null || line.to <= line.from) return [min];
  const random = randomOf(seed);
  const points: KeyValue[] = [min];
  let last = line.from;
  const span = line.to - line.from;
  for (let part = 1; part < count; part++) {
    const within = BigInt(Math.floor((part + random()) * GRAIN));
    const at = line.from + (span * within) / (BigInt(count) * BigInt(GRAIN));
    if (at <= last) continue;
    last = at;
    points.push(line.valueAt(at));
  }
  return points;
}

/** Steps within a part. */
const GRAIN = 2 ** 20;

/** Numbers below 1 that look like chance (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A range of keys as a range of integers. */
type Line = { from: bigint; to: bigint; valueAt: (at: bigint) => KeyValue };

function lineOf(kind: KeyKind, min: KeyValue, max: KeyValue): Line | null {
  if (typeof min !== 'string' || typeof max !== 'string')
    return Buffer.isBuffer(min) && Buffer.isBuffer(max) ? bytesLine(min, max) : null;
  if (kind === 'integer') return INTEGER.test(min) && INTEGER.test(max) ? integerLine(min, max) : null;
  if (kind === 'time') return timeLine(min, max);
  return kind === 'text' && ASCII.test(min) && ASCII.test(max) ? textLine(min, max) : null;
}

const INTEGER = /^-?\d{1,20}$/;
/** A place is compared in the character set of the key, so it only has characters that each set has. */
const ASCII = /^[\x20-\x7e]*$/;

const integerLine = (min: string, max: string): Line => ({
  from: BigInt(min),
  to: BigInt(max),
  valueAt: String,
});

/** `YYYY-MM-DD`, with or without ` HH:MM:SS` and a fraction. Places have no fraction. */
function timeLine(min: string, max: string): Line | null {
  const from = secondsOf(min);
  const to = secondsOf(max);
  if (from === null || to === null) return null;
  const length = Math.min(min.length, '2026-01-02 03:04:05'.length);
  return {
    from: BigInt(from),
    to: BigInt(to),
    valueAt: (at) => new Date(Number(at) * 1000).toISOString().replace('T', ' ').slice(0, length),
  };
}

function secondsOf(text: string): number | null {
  const time = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}:\d{2})(?:\.\d+)?)?$/.exec(text);
  const at = time === null ? Number.NaN : Date.parse(`${time[1]}T${time[2] ?? '00:00:00'}Z`);
  return Number.isNaN(at) ? null : at / 1000;
}

/** Bytes that differ, after those that are common, that make a number. */
const DIGITS = 6;

function bytesLine(min: Buffer, max: Buffer): Line {
  let common = 0;
  while (common < min.length && common < max.length && min[common] === max[common]) common++;
  const numberOf = (bytes: Buffer) => {
    const digits = Buffer.alloc(DIGITS);
    bytes.copy(digits, 0, common, common + DIGITS);
    return BigInt(digits.readUIntBE(0, DIGITS));
  };
  return {
    from: numberOf(min),
    to: numberOf(max),
    valueAt: (at) => {
      const digits = Buffer.alloc(DIGITS);
      digits.writeUIntBE(Number(at), 0, DIGITS);
      return Buffer.concat([min.subarray(0, common), digits]);
    },
  };
}

/**
 * Digits and letters of one case, which each collation orders alike. What is between them counts as the next of them, so
 * parts may be of unequal size.
 */
function textLine(min: string, max: string): Line {
  let common = 0;
  while (common < min.length && common < max.length && min[common] === max[common]) common++;
  const isLower = /[a-z]/.test(min.slice(common) + max.slice(common));
  const alphabet = `0123456789${isLower ? 'abcdefghijklmnopqrstuvwxyz' : 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'}`;
  const base = BigInt(alphabet.length);
  const numberOf = (text: string) => {
    const folded = isLower ? text.toLowerCase() : text;
    let number = 0n;
    for (let digit = 0; digit < DIGITS; digit++)
      number = number * base + BigInt(placeIn(alphabet, folded[common + digit] ?? ''));
    return number;
  };
  return {
    from: numberOf(min),
    to: numberOf(max),
    valueAt: (at) => {
      let [rest, digits] = [at, ''];
      for (let digit = 0; digit < DIGITS; digit++) {
        digits = alphabet[Number(rest % base)] + digits;
        rest /= base;
      }
      return min.slice(0, common) + digits;
    },
  };
}

function placeIn(alphabet: string, character: string): number {
  let place = 0;
  while (place < alphabet.length - 1 && (alphabet[place] as string) < character) place++;
  return place;
}
