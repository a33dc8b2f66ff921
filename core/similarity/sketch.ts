/**
 * One-permutation MinHash (Li, Owen, Zhang 2012). Every element of a set is hashed once. The upper bits choose a bin,
 * and each bin keeps the minimum of the lower bits. The signature stores one byte per bin, 0 for an empty one. The
 * share of equal bins estimates the Jaccard similarity of two sets, with a standard error of at most 0.011. The error
 * is lower for small sets, because bins that are empty in both are ignored.
 */
export type Sketch = {
  /** One byte per bin. */
  signature: Uint8Array;
  /** Keys that very similar sets have in common with high probability. */
  bands: readonly number[];
};

/** The part of an asset that was sketched. Sketches and bands of different kinds are never compared. */
export type SketchKind = 'shingles' | 'template';

const BIN_BITS = 11;
const BINS = 1 << BIN_BITS;
const EMPTY = 0xffff_ffff;
/** Number of values of a byte besides 0. */
const BYTES = 255;
/**
 * Two sets with the Jaccard similarity j share a band with the probability 1-(1-j^rows)^bands: 0.998 at 0.8 for
 * `shingles`, 0.95 at 0.55 for `template`.
 */
const BANDS = { shingles: { rows: 4, bands: 12 }, template: { rows: 3, bands: 16 } } as const;
/** Number of bands of `shingles`. */
export const SHINGLE_BANDS = BANDS.shingles.bands;
const KIND_SEED = { shingles: 0x5bd1e995, template: 0x2545f491 } as const;

/** Scrambles 32 bits. It is a bijection. */
export function mix32(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Collects the elements of a set as 32-bit hashes, in any order and with repetitions. */
export class Sketcher {
  readonly #least = new Uint32Array(BINS).fill(EMPTY);

  readonly add = (hash: number): void => {
    const bin = hash >>> (32 - BIN_BITS);
    const value = hash & ((1 << (32 - BIN_BITS)) - 1);
    if (value < (this.#least[bin] ?? 0)) this.#least[bin] = value;
  };

  /** Null if fewer than `fewest` bins are filled. */
  sketch(kind: SketchKind, fewest: number): Sketch | null {
    const filled = this.#least.reduce((count, value) => count + (value === EMPTY ? 0 : 1), 0);
    if (filled < fewest) return null;
    const signature = Uint8Array.from(this.#least, (value) =>
      value === EMPTY ? 0 : 1 + (mix32(value) % BYTES),
    );
    return { signature, bands: this.#bands(kind) };
  }

  #bands(kind: SketchKind): number[] {
    const { rows, bands } = BANDS[kind];
    const minima = coarser(this.#least, rows * bands);
    return Array.from({ length: bands }, (_, band) => {
      let key = mix32(KIND_SEED[kind] + band);
      for (let row = 0; row < rows; row++) key = mix32(key ^ (minima[band * rows + row] ?? 0));
      return key | 0;
    });
  }
}

/**
 * The minima of fewer, wider bins. An empty bin takes the value of another one, chosen by its number (densification
 * after Shrivastava 2017), so that similar sets fill it in the same way.
 */
function coarser(least: Uint32Array, count: number): number[] {
  const width = Math.floor(least.length / count);
  const minima = Array.from({ length: count }, (_, bin) => {
    let minimum = EMPTY;
    for (let at = bin * width; at < (bin + 1) * width; at++) minimum = Math.min(minimum, least[at] ?? EMPTY);
    return minimum;
  });
  const filled = (bin: number) => minima[bin] !== EMPTY;
  if (!minima.some((_, bin) => filled(bin))) return minima;
  return minima.map((minimum, bin) => {
    let donor = bin;
    for (let attempt = 1; !filled(donor); attempt++) donor = mix32(bin * 0x9e3779b1 + attempt) % count;
    return donor === bin ? minimum : mix32((minima[donor] ?? 0) ^ bin);
  });
}

/** Estimates the Jaccard similarity of two sets, 0 to 1. */
export function estimatedJaccard(a: Uint8Array, b: Uint8Array): number {
  let equal = 0;
  let used = 0;
  for (let bin = 0; bin < BINS; bin++) {
    const x = a[bin] ?? 0;
    const y = b[bin] ?? 0;
    if (x === 0 && y === 0) continue;
    used++;
    if (x === y) equal++;
  }
  if (used === 0) return 0;
  // One in 255 of the different bins has equal bytes by chance.
  return Math.max(0, (equal / used - 1 / BYTES) / (1 - 1 / BYTES));
}
