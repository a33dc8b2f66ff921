/**
 * One-permutation MinHash (Li, Owen, Zhang 2012). Every element of a set is hashed once; the upper bits choose a bin,
 * and a bin keeps the least of the lower ones. Kept of it is one byte per bin, 0 for an empty one. Two sets agree in a
 * share of the bins that estimates their Jaccard similarity: with a standard error of at most 0.011, and less the
 * smaller the sets, since empty bins of both are left out.
 */
export type Sketch = {
  /** One byte per bin. */
  signature: Uint8Array;
  /** Sets that are much alike share one of these keys. */
  bands: readonly number[];
};

/** Which part of an asset was sketched: sketches and bands of different kinds never meet. */
export type SketchKind = 'shingles' | 'template';

const BIN_BITS = 11;
const BINS = 1 << BIN_BITS;
const EMPTY = 0xffff_ffff;
/** Values that a byte takes, 0 apart. */
const BYTES = 255;
/**
 * Of sets with Jaccard similarity j the share that meets in a band is 1-(1-j^rows)^bands: at 0.8 it is 0.998 for the
 * first kind, at 0.55 0.95 for the second.
 */
const BANDS = { shingles: { rows: 4, bands: 12 }, template: { rows: 3, bands: 16 } } as const;
const KIND_SEED = { shingles: 0x5bd1e995, template: 0x2545f491 } as const;

/** Scrambles 32 bits; a bijection. */
export function mix32(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Collects the elements of a set as 32-bit hashes, in any order and number. */
export class Sketcher {
  readonly #least = new Uint32Array(BINS).fill(EMPTY);

  readonly add = (hash: number): void => {
    const bin = hash >>> (32 - BIN_BITS);
    const value = hash & ((1 << (32 - BIN_BITS)) - 1);
    if (value < (this.#least[bin] ?? 0)) this.#least[bin] = value;
  };

  /** Null where fewer than `fewest` bins hold anything. */
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
 * The minima of fewer, wider bins. An empty one takes the value of another that its number chooses (densification
 * after Shrivastava 2017), so that sets which are alike fill it alike.
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

/** Estimate of the Jaccard similarity of two sets, 0 to 1. */
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
  // Of the bins that differ one in 255 looks equal.
  return Math.max(0, (equal / used - 1 / BYTES) / (1 - 1 / BYTES));
}
