/** Term hash to the number of times the term occurs. */
export type TermCounts = ReadonlyMap<number, number>;

const TERM_BYTES = 5;
/** Counts are stored as logarithms in steps of 1/8, because scores use their logarithms. */
const LOG_STEPS = 8;

/** Packs term counts as Base64: per term four bytes of hash and one of logarithmic count, ascending by hash. */
export function packTerms(counts: TermCounts): string {
  const packed = Buffer.alloc(counts.size * TERM_BYTES);
  let at = 0;
  for (const [hash, count] of [...counts].sort((a, b) => a[0] - b[0])) {
    packed.writeUInt32LE(hash, at);
    packed.writeUInt8(Math.min(255, Math.round(Math.log(count) * LOG_STEPS)), at + 4);
    at += TERM_BYTES;
  }
  return packed.toString('base64');
}

export function unpackTerms(base64: string): TermCounts {
  const packed = Buffer.from(base64, 'base64');
  const counts = new Map<number, number>();
  for (let at = 0; at + TERM_BYTES <= packed.length; at += TERM_BYTES) {
    counts.set(packed.readUInt32LE(at), Math.exp(packed.readUInt8(at + 4) / LOG_STEPS));
  }
  return counts;
}

/** A vector with one signed byte per dimension. The scale is lost, because only angles are compared. */
function quantized(vector: Float32Array): Int8Array {
  const most = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scale = most === 0 ? 0 : 127 / most;
  return Int8Array.from(vector, (value) => Math.round(value * scale));
}

export const packVector = (vector: Float32Array): string =>
  Buffer.from(quantized(vector).buffer).toString('base64');

export function unpackVector(base64: string): Int8Array {
  const { buffer, byteOffset, length } = Buffer.from(base64, 'base64');
  return new Int8Array(buffer, byteOffset, length);
}

/** Cosine of the angle between two vectors of any scale. 0 if one is zero or their lengths differ. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return 0;
  let dot = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    dot += x * y;
    squaresA += x * x;
    squaresB += y * y;
  }
  return squaresA === 0 || squaresB === 0 ? 0 : dot / Math.sqrt(squaresA * squaresB);
}
