import { mix32 } from './sketch.ts';

/** Number of bits for a vector of any dimension. */
export const SIGN_BITS = 512;
const WORD_BITS = 32;
const ROUNDS = 2;

/**
 * The signs of the first 512 coordinates of a vector after a fixed random rotation (twice random signs, then a
 * Hadamard transform), as 16 words. For two vectors at the angle a, the share of different bits is a/pi, with an
 * error of at most 0.02. This also holds for sparse vectors and for more than 512 dimensions. The length of a vector
 * does not matter.
 */
export function signBits(vector: ArrayLike<number>): Int32Array {
  let size = SIGN_BITS;
  while (size < vector.length) size *= 2;
  const rotated = Float32Array.from({ length: size }, (_, at) => vector[at] ?? 0);
  for (let round = 0; round < ROUNDS; round++) {
    for (let at = 0; at < size; at++) {
      if (mix32(at + round * size + 1) & 1) rotated[at] = -(rotated[at] ?? 0);
    }
    hadamard(rotated);
  }
  const bits = new Int32Array(SIGN_BITS / WORD_BITS);
  for (let at = 0; at < SIGN_BITS; at++) {
    const word = Math.trunc(at / WORD_BITS);
    if ((rotated[at] ?? 0) > 0) bits[word] = (bits[word] ?? 0) | (1 << (at % WORD_BITS));
  }
  return bits;
}

/** The bits as a Postgres `bit(512)` literal. Their order does not matter for comparisons. */
export const bitLiteral = (bits: Int32Array): string =>
  `x${Array.from(bits, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')}`;

/** Works in place and without scaling. */
function hadamard(values: Float32Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let start = 0; start < values.length; start += 2 * half) {
      for (let at = start; at < start + half; at++) {
        const x = values[at] ?? 0;
        const y = values[at + half] ?? 0;
        values[at] = x + y;
        values[at + half] = x - y;
      }
    }
  }
}
