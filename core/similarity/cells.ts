import { setImmediate as nextTurn } from 'node:timers/promises';
import { quantized } from '../inference/packed.ts';
import { hamming, SIGN_BITS, signBits } from './sign-bits.ts';
import { mix32 } from './sketch.ts';

/** The cells of a vector space. Each vector belongs to the cell with the nearest centroid by angle. */
export class Cells {
  readonly #centroids: readonly { vector: Int8Array; length: number; bits: Int32Array }[];

  /** @param packed result of `packedCentroids`: one signed byte per dimension, cell after cell */
  constructor(packed: Int8Array, dimensions: number) {
    this.#centroids = Array.from({ length: packed.length / dimensions }, (_, cell) => {
      const vector = packed.subarray(cell * dimensions, (cell + 1) * dimensions);
      return { vector, length: lengthOf(vector), bits: signBits(vector) };
    });
  }

  get count(): number {
    return this.#centroids.length;
  }

  /**
   * Numbers of the cells nearest to a vector, the nearest first. Sign bits preselect some more cells, which are then
   * compared exactly.
   */
  nearest(vector: Int8Array, bits: Int32Array, count: number): number[] {
    const distances = new Uint16Array(this.count);
    const cellsAt = new Uint32Array(SIGN_BITS + 1);
    for (const [cell, centroid] of this.#centroids.entries()) {
      const distance = hamming(bits, centroid.bits);
      distances[cell] = distance;
      cellsAt[distance] = (cellsAt[distance] ?? 0) + 1;
    }
    let furthest = 0;
    for (let measured = 0; measured < MEASURED_PER_CELL * count && furthest <= SIGN_BITS; furthest++)
      measured += cellsAt[furthest] ?? 0;
    const measured: { cell: number; nearness: number }[] = [];
    for (const [cell, centroid] of this.#centroids.entries()) {
      if ((distances[cell] ?? 0) < furthest)
        measured.push({ cell, nearness: dot(vector, centroid.vector) / centroid.length });
    }
    return measured
      .sort((a, b) => b.nearness - a.nearness)
      .slice(0, count)
      .map(({ cell }) => cell);
  }
}

const MEASURED_PER_CELL = 8;
const ITERATIONS = 6;
/** With fewer vectors per cell, a centroid would be little more than one vector of the sample. */
const LEAST_PER_CELL = 8;
const TURN_MS = 20;

/**
 * Trains the centroids of about `count` cells by spherical k-means over a sample, in two levels. The first level has
 * the square root of their number. The second divides each of these cells by its share of the sample. It yields to
 * other work of the process.
 */
export async function trainCentroids(sample: readonly Int8Array[], count: number): Promise<Float32Array[]> {
  const turns = new Turns();
  const shuffled = sample
    .map((vector, at) => ({ vector, order: mix32(at) }))
    .sort((a, b) => a.order - b.order)
    .map(({ vector }) => unit(vector));
  const most = Math.max(1, Math.min(count, Math.floor(sample.length / LEAST_PER_CELL)));
  const root = Math.ceil(Math.sqrt(most));
  const coarse = await kMeans(shuffled, root, turns);
  const centroids: Float32Array[] = [];
  for (const members of coarse.members) {
    if (members.length === 0) continue;
    const share = Math.round((most * members.length) / sample.length);
    const divided = await kMeans(members, Math.max(1, Math.min(share, 4 * root)), turns);
    centroids.push(...divided.centroids.filter((_, cell) => (divided.members[cell]?.length ?? 0) > 0));
  }
  return centroids;
}

/** Packs centroids of any length with one signed byte per dimension. */
export function packedCentroids(centroids: readonly Float32Array[]): Int8Array {
  const dimensions = centroids[0]?.length ?? 0;
  const packed = new Int8Array(centroids.length * dimensions);
  centroids.forEach((centroid, cell) => {
    packed.set(quantized(centroid), cell * dimensions);
  });
  return packed;
}

/** All vectors have unit length. */
type Clusters = { centroids: Float32Array[]; members: Float32Array[][] };

async function kMeans(vectors: readonly Float32Array[], count: number, turns: Turns): Promise<Clusters> {
  const stride = vectors.length / count;
  let centroids = Array.from(
    { length: count },
    (_, cell) => vectors[Math.floor(cell * stride)] ?? new Float32Array(),
  );
  let members: Float32Array[][] = [];
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    members = centroids.map(() => []);
    for (const vector of vectors) {
      await turns.share();
      members[nearestOf(vector, centroids)]?.push(vector);
    }
    // A centroid without members stays as it is.
    centroids = centroids.map((centroid, cell) => meanOf(members[cell] ?? []) ?? centroid);
  }
  return { centroids, members };
}

function nearestOf(vector: Float32Array, centroids: readonly Float32Array[]): number {
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (const [cell, centroid] of centroids.entries()) {
    const nearness = dot(vector, centroid);
    if (nearness > most) {
      most = nearness;
      best = cell;
    }
  }
  return best;
}

/** The mean direction, or null without vectors. */
function meanOf(vectors: readonly Float32Array[]): Float32Array | null {
  const [first] = vectors;
  if (first === undefined) return null;
  const sum = new Float32Array(first.length);
  for (const vector of vectors) {
    for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0);
  }
  return unit(sum);
}

function unit(vector: ArrayLike<number>): Float32Array {
  const length = lengthOf(vector) || 1;
  return Float32Array.from(vector, (value) => value / length);
}

const lengthOf = (vector: ArrayLike<number>): number => Math.sqrt(dot(vector, vector));

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** Yields to other work of the process every few milliseconds. */
class Turns {
  #since = performance.now();

  async share(): Promise<void> {
    if (performance.now() - this.#since < TURN_MS) return;
    await nextTurn();
    this.#since = performance.now();
  }
}
