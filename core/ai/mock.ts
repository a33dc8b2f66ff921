import { hash32 } from '../kernel/hash.ts';
import { words } from '../kernel/words.ts';
import { mockTaxonomy } from './mock-taxonomy.ts';
import { AiError, type AiProvider, checkRequest, MAX_TEXT_CHARACTERS, normalize } from './provider.ts';
import { type OpinionInput, typeText } from './second-opinion.ts';
import { contentTerms } from './terms.ts';

const DIMENSIONS = 384;
/** Inflections and compounds share parts of words. A shared part is weaker evidence than a shared word. */
const PART_WEIGHT = 0.3;
const PAIR_WEIGHT = 0.5;
const PART_LENGTH = 4;
/** Texts that share less have nothing to do with each other. */
const LEAST_COSINE = 0.1;

/**
 * Embeddings without a model: terms, pairs of terms and parts of terms, hashed into a vector. They are lexical, and
 * the name of the model says so: two texts are near if they share words, or words with the same meaning in the
 * glossary of concepts. No model is asked, so there is nothing to meter.
 */
export const mockAiProvider = {
  name: 'mock',
  model: 'lexical-hash-384-v3',
  mode: 'mock',
  embed: async (texts: readonly string[], signal: AbortSignal) => {
    checkRequest(texts, signal);
    return texts.map((text) => lexicalVector(text.slice(0, MAX_TEXT_CHARACTERS)));
  },
  taxonomy: mockTaxonomy,
  // Without a model there is only the grammar, which is another planner.
  planner: null,
  opinion: { model: 'lexical-opinion-v1', ask: async (input, signal) => nearestType(input, signal) },
} satisfies AiProvider;

/** The type whose texts share the most with the excerpts; null if none shares enough. */
function nearestType({ excerpts, types }: OpinionInput, signal: AbortSignal): string | null {
  if (signal.aborted) throw new AiError('aborted');
  const text = lexicalVector(excerpts.join('\n'));
  let nearest: { ref: string | null; cosine: number } = { ref: null, cosine: LEAST_COSINE };
  for (const type of types) {
    const cosine = lexicalVector(typeText(type)).reduce((sum, value, at) => sum + value * (text[at] ?? 0), 0);
    if (cosine > nearest.cosine) nearest = { ref: type.ref, cosine };
  }
  return nearest.ref;
}

function lexicalVector(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const [feature, { count, weight }] of featuresOf(text)) {
    const hash = hash32(feature);
    const sign = hash & 0x8000_0000 ? -1 : 1;
    const at = hash % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + sign * weight * (1 + Math.log(count));
  }
  return normalize(vector);
}

function featuresOf(text: string): Map<string, { count: number; weight: number }> {
  const features = new Map<string, { count: number; weight: number }>();
  const add = (feature: string, weight: number) => {
    const known = features.get(feature);
    if (known === undefined) features.set(feature, { count: 1, weight });
    else known.count += 1;
  };
  let previous = '';
  for (const term of contentTerms(words(text))) {
    add(term, 1);
    if (previous !== '') add(`${previous} ${term}`, PAIR_WEIGHT);
    previous = term;
    const bounded = `<${term}>`;
    for (let i = 0; i + PART_LENGTH <= bounded.length; i++) {
      add(`~${bounded.slice(i, i + PART_LENGTH)}`, PART_WEIGHT);
    }
  }
  return features;
}
