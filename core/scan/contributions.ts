import type { Signal } from '../detectors/detector.ts';
import type { Features } from './features.ts';
import { cosine, type TermCounts, unpackTerms, unpackVector } from './packed.ts';
import type { IndexedType, TaxonomyIndex } from './taxonomy-index.ts';

/** A fact behind a contribution that may be shown: words of the approved taxonomy, ids and counts, never content. */
export type Evidence = Readonly<Record<string, string | number | readonly string[]>>;

/** `score` is from -1 to 1, before its weight; 0 has nothing to say. */
export type Scored = { score: number; evidence: Evidence };

/** An asset, unpacked once and scored against every information type. */
export type Subject = {
  terms: TermCounts;
  nameTerms: ReadonlySet<string>;
  pathTerms: ReadonlySet<string>;
  signals: readonly Signal[];
  /** Information type id to how much nearer the asset is to it than to the taxonomy at large. */
  nearness: ReadonlyMap<string, number>;
};

/** What owners said of an asset that is like this one. */
export type RelatedDecision = {
  kind: 'exact' | 'near';
  informationTypeId: string;
  outcome: 'confirmed' | 'refused';
};

const MOST_EVIDENCE = 8;
const NOTHING: Scored = { score: 0, evidence: {} };

export function subjectOf(features: Features, taxonomy: TaxonomyIndex): Subject {
  return {
    terms: unpackTerms(features.terms),
    nameTerms: new Set(features.nameTerms),
    pathTerms: new Set(features.pathTerms),
    signals: [...features.signals].sort((a, b) => (a.detectorId < b.detectorId ? -1 : 1)),
    nearness: nearnessOf(features, taxonomy),
  };
}

/** Detectors that the type lists. One that other types list too says less, and the tenth hit less than the first. */
export function detectorSignals(subject: Subject, indexed: IndexedType): Scored {
  let missing = 1;
  const detectors: string[] = [];
  for (const { detectorId, confidence, count } of subject.signals) {
    const specificity = indexed.detectors.get(detectorId);
    if (specificity === undefined) continue;
    missing *= 1 - specificity * confidence * (1 - 0.5 * Math.exp(-(count - 1) / 4));
    detectors.push(detectorId);
  }
  return detectors.length === 0 ? NOTHING : { score: 1 - missing, evidence: { detectors } };
}

/** Approved words and phrases that stand in the text. */
export function indicatorKeywords(subject: Subject, indexed: IndexedType): Scored {
  const found = indexed.keywords.flatMap(({ text, hashes, weight }) => {
    const count = Math.min(...hashes.map((hash) => subject.terms.get(hash) ?? 0));
    // A phrase is rarer than a word of it, so that finding it means more.
    const rarity = text.includes(' ') ? 1.5 : 1;
    return count === 0
      ? []
      : [{ text, strength: weight * rarity * (0.5 + 0.5 * Math.min(1, Math.log(count) / 3)) }];
  });
  if (found.length === 0) return NOTHING;
  const sum = found.reduce((total, { strength }) => total + strength, 0);
  return { score: 1 - Math.exp(-sum / 2), evidence: { keywords: strongest(found) } };
}

/** Words shared with the approved texts of the type and its domain, less those that the domain excludes. */
export function lexicalSimilarity(subject: Subject, indexed: IndexedType): Scored {
  const included = overlap(subject.terms, indexed.terms);
  const excluded = overlap(subject.terms, indexed.excluded);
  const score = Math.max(-1, included.score - 0.3 * excluded.score);
  if (score === 0) return NOTHING;
  return {
    score,
    evidence: { terms: included.terms, ...(excluded.score > 0 && { excluded: excluded.terms }) },
  };
}

/** Nearness in the provider's vector space, measured against the mean of all types, whose level differs by model. */
export function embeddingSimilarity(subject: Subject, indexed: IndexedType): Scored {
  const score = subject.nearness.get(indexed.type.informationTypeId) ?? 0;
  return score === 0 ? NOTHING : { score, evidence: { nearness: Math.round(score * 1_000) / 1_000 } };
}

/** The scope is expected to hold what one domain governs. */
export function locationExpectation(expectedDomainId: string | null, indexed: IndexedType): Scored {
  if (expectedDomainId === null) return NOTHING;
  const score = expectedDomainId === indexed.type.domainId ? 1 : -0.25;
  return { score, evidence: { expectedDomainId } };
}

/** Words of the type's name and keywords in the name of the asset, and half as much in its folders. */
export function nameAndPath(subject: Subject, indexed: IndexedType): Scored {
  const named = [...indexed.naming].filter((term) => subject.nameTerms.has(term)).sort();
  const placed = [...indexed.naming].filter((term) => subject.pathTerms.has(term)).sort();
  if (named.length + placed.length === 0) return NOTHING;
  return { score: 1 - Math.exp(-named.length - placed.length / 2), evidence: { name: named, path: placed } };
}

/** What owners said of copies. One refusal outweighs one confirmation as much as the reverse. */
export function copies(
  kind: RelatedDecision['kind'],
  related: readonly RelatedDecision[],
  indexed: IndexedType,
): Scored {
  const of = related.filter(
    (decision) => decision.kind === kind && decision.informationTypeId === indexed.type.informationTypeId,
  );
  if (of.length === 0) return NOTHING;
  const confirmed = of.filter(({ outcome }) => outcome === 'confirmed').length;
  return {
    score: (2 * confirmed - of.length) / of.length,
    evidence: { confirmed, refused: of.length - confirmed },
  };
}

/** Share of the type's weighted words that the text holds, damped where it rests on very few of them. */
function overlap(
  counts: TermCounts,
  weighted: ReadonlyMap<number, { term: string; weight: number }>,
): { score: number; terms: string[] } {
  let shared = 0;
  let total = 0;
  const found: { text: string; strength: number }[] = [];
  for (const [hash, { term, weight }] of weighted) {
    total += weight;
    const count = counts.get(hash);
    if (count === undefined) continue;
    const strength = weight * Math.min(1, 0.4 + 0.2 * Math.log(count));
    shared += strength;
    found.push({ text: term, strength });
  }
  if (found.length === 0) return { score: 0, terms: [] };
  return { score: (shared / total) * (1 - Math.exp(-found.length / 3)), terms: strongest(found) };
}

const strongest = (found: readonly { text: string; strength: number }[]): string[] =>
  [...found]
    .sort((a, b) => b.strength - a.strength || (a.text < b.text ? -1 : 1))
    .slice(0, MOST_EVIDENCE)
    .map(({ text }) => text);

function nearnessOf({ embedding }: Features, { types, embeddingModel }: TaxonomyIndex): Map<string, number> {
  if (embedding === null || embeddingModel === null) return new Map();
  if (embedding.provider !== embeddingModel.provider || embedding.model !== embeddingModel.model)
    return new Map();
  const vector = unpackVector(embedding.values);
  const cosines = types.flatMap(({ type, vector: typeVector }): [id: string, cosine: number][] =>
    typeVector === null ? [] : [[type.informationTypeId, cosine(vector, typeVector)]],
  );
  // Of a single type half is taken for the level of the model, since nothing else tells it.
  const mean = cosines.reduce((sum, [, each]) => sum + each, 0) / Math.max(2, cosines.length);
  // The room above the mean is small where a model keeps all texts close together.
  const room = Math.max(0.1, 1 - mean);
  return new Map(cosines.map(([id, each]) => [id, Math.max(-1, Math.min(1, (each - mean) / room))]));
}
