import { mix32 } from '../../core/similarity/sketch.ts';

export const DIMENSIONS = 384;

/** Returns the vector for an index. It has unit length and is always the same. */
export type VectorAt = (index: number) => Float32Array;

/** The weights of the parts of a vector: common to all texts, theme, topic, and individual. */
const COMMON = 0.3;
const THEME = 1;
const TOPIC = 0.6;
const OWN = 0.8;
/** The share of texts that are versions of another, and how far a version differs. */
const VERSION_SHARE = 0.1;
const VERSION_OWN = 0.2;
const TEXTS_PER_THEME = 2_000;
const TOPICS_PER_THEME = 20;

/**
 * Vectors that resemble those of a tenant's texts: grouped in themes and topics of different sizes, with some texts
 * in several versions. Two texts of a topic have a cosine of about 0.7, two of a theme about 0.5.
 */
export function clusteredVectors(count: number): VectorAt {
  const themes = Math.max(20, Math.round(count / TEXTS_PER_THEME));
  const common = direction(1);
  const kept = new Map<number, Float32Array>();
  const shared = (seed: number) => {
    const known = kept.get(seed) ?? direction(seed);
    kept.set(seed, known);
    return known;
  };
  const texts = (index: number, extra: number): Float32Array => {
    const random = generator(index + 17);
    const isVersion = extra === 0 && index > 0 && random() < VERSION_SHARE;
    if (isVersion) return texts(Math.floor(random() * index), index);
    // The square makes some themes and topics much larger than others.
    const theme = Math.floor(random() ** 2 * themes);
    const topic = Math.floor(random() ** 2 * TOPICS_PER_THEME);
    const parts: [Float32Array, number][] = [
      [common, COMMON],
      [shared(1_000 + theme), THEME],
      [shared(1_000_000 + theme * TOPICS_PER_THEME + topic), TOPIC],
      [direction(0x4000_0000 + index), OWN],
    ];
    if (extra > 0) parts.push([direction(0x6000_0000 + extra), VERSION_OWN]);
    return sum(parts);
  };
  return (index) => texts(index, 0);
}

/** Vectors without structure. */
export const uniformVectors = (): VectorAt => (index) => direction(0x2000_0000 + index);

function sum(parts: readonly [Float32Array, number][]): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const [part, weight] of parts) {
    for (let at = 0; at < DIMENSIONS; at++) vector[at] = (vector[at] ?? 0) + weight * (part[at] ?? 0);
  }
  return scaled(vector);
}

/** Random numbers from which vectors are cut. Each pair of offsets gives another sum. */
const NOISE = noise(1 << 22);

function noise(length: number): Float32Array {
  const random = generator(7);
  // Sums of uniform numbers are close enough to normal ones that no axis is preferred.
  return Float32Array.from({ length }, () => random() + random() - 1);
}

function direction(seed: number): Float32Array {
  const random = generator(seed);
  const first = Math.floor(random() * (NOISE.length - DIMENSIONS));
  const second = Math.floor(random() * (NOISE.length - DIMENSIONS));
  const vector = new Float32Array(DIMENSIONS);
  for (let at = 0; at < DIMENSIONS; at++) vector[at] = (NOISE[first + at] ?? 0) + (NOISE[second + at] ?? 0);
  return scaled(vector);
}

function scaled(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}

function generator(seed: number): () => number {
  let state = mix32(seed) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}
