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
  /** Terms among the title and the first short lines that the taxonomy knows, with how rare each is among its types. */
  title: readonly { hash: number; rarity: number }[];
  /** What `title` weighs, and a little for the titles of which it knows next to nothing. */
  titleWeight: number;
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
  /** In what a near one is alike, and how much, 0 to 1. */
  likeness?: string;
  similarity?: number;
};

const MAX_EVIDENCE = 8;
/** An overlap from which on more of it changes nothing, and how far below it differences still tell. */
const MUCH = 5;
const STEEP = 10;
/** Rarity of about one word of a title. */
const FEW_TITLE_WORDS = 2;
/** What a word of a title counts that the type's texts have, but not its name. */
const NOT_IN_NAME = 0.7;
/** Log-odds of the similarity to what the taxonomy lacks, and the difference that tells one domain from another. */
const NO_TYPE = 1.3;
const RIVAL_SCALE = 0.15;
const NOTHING: Scored = { score: 0, evidence: {} };

export function subjectOf(features: Features, taxonomy: TaxonomyIndex): Subject {
  const title = [...unpackTerms(features.headings).keys()].flatMap((hash) => {
    const rarity = taxonomy.rarities.get(hash);
    return rarity === undefined ? [] : [{ hash, rarity }];
  });
  return {
    terms: unpackTerms(features.terms),
    title,
    titleWeight: title.reduce((sum, { rarity }) => sum + rarity, FEW_TITLE_WORDS),
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

/** Of the words of the title that the taxonomy knows, the share that this type has: in its name, or elsewhere. */
export function titleWords({ title, titleWeight }: Subject, indexed: IndexedType): Scored {
  const found = title.flatMap(({ hash, rarity }) => {
    const known = indexed.terms.get(hash);
    if (known === undefined) return [];
    return [{ text: known.spelled, strength: rarity * (known.inName ? 1 : NOT_IN_NAME) }];
  });
  if (found.length === 0) return NOTHING;
  const shared = found.reduce((sum, { strength }) => sum + strength, 0);
  return { score: shared / titleWeight, evidence: { title: strongest(found) } };
}

/** Nearness in the provider's vector space, measured against the mean of all types, whose level differs by model. */
export function embeddingSimilarity(subject: Subject, indexed: IndexedType): Scored {
  const score = subject.nearness.get(indexed.type.informationTypeId) ?? 0;
  return score === 0 ? NOTHING : { score, evidence: { nearness: Math.round(score * 1_000) / 1_000 } };
}

/**
 * How much nearer the text is to a type than to all types of other domains together, from what its similarities add up
 * to: 1 where no other domain comes near, 0 where the others together are as near, -1 where another one is far nearer. A
 * text belongs to few domains, and two whose definitions share many words are told apart by this alone; what of a domain
 * it is, may be several things. `NO_TYPE` stands for whatever the taxonomy does not have.
 */
export function rivalDomains(
  similarities: readonly { domainId: string; similarity: number }[],
): (of: { domainId: string; similarity: number }) => Scored {
  if (similarities.every(({ similarity }) => similarity === 0)) return () => NOTHING;
  const nearest = similarities.reduce((most, { similarity }) => Math.max(most, similarity), NO_TYPE);
  const odds = (similarity: number) => Math.exp((similarity - nearest) / RIVAL_SCALE);
  const ofDomains = new Map<string, number>();
  for (const { domainId, similarity } of similarities) {
    ofDomains.set(domainId, (ofDomains.get(domainId) ?? 0) + odds(similarity));
  }
  const rivals = new Map(
    [...ofDomains.keys()].map((domainId) => [
      domainId,
      [...ofDomains].reduce((sum, [other, each]) => (other === domainId ? sum : sum + each), odds(NO_TYPE)),
    ]),
  );
  return ({ domainId, similarity }) => {
    const own = odds(similarity);
    const share = own / (own + (rivals.get(domainId) ?? 0));
    return { score: 2 * share - 1, evidence: { share: Math.round(share * 1_000) / 1_000 } };
  };
}

/** The scope is expected to hold what one domain governs. */
export function locationExpectation(expectedDomainId: string | null, indexed: IndexedType): Scored {
  if (expectedDomainId === null) return NOTHING;
  const score = expectedDomainId === indexed.type.domainId ? 1 : -0.25;
  return { score, evidence: { expectedDomainId } };
}

/** Words of the type's name and keywords in the name of the asset, and half as much in its folders. */
export function nameAndPath(subject: Subject, indexed: IndexedType): Scored {
  const spelledIn = (terms: ReadonlySet<string>) =>
    [...indexed.naming].flatMap(([term, spelled]) => (terms.has(term) ? [spelled] : [])).sort();
  const named = spelledIn(subject.nameTerms);
  const placed = spelledIn(subject.pathTerms);
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
  const likeness = [...new Set(of.flatMap((decision) => decision.likeness ?? []))].sort();
  const similarity = of.reduce((most, decision) => Math.max(most, decision.similarity ?? 0), 0);
  return {
    score: (2 * confirmed - of.length) / of.length,
    evidence: {
      confirmed,
      refused: of.length - confirmed,
      ...(likeness.length > 0 && { likeness, similarity }),
    },
  };
}

/**
 * How often the text says the type's weighted words, for the weight of them all: many words ask for more. Square roots,
 * since the tenth time says less than the first; a logarithm of the whole, since long texts say everything more often.
 */
function overlap(counts: TermCounts, weighted: IndexedType['terms']): { score: number; terms: string[] } {
  let shared = 0;
  let squares = 0;
  const found: { text: string; strength: number }[] = [];
  for (const [hash, { spelled, weight }] of weighted) {
    squares += weight * weight;
    const count = counts.get(hash);
    if (count === undefined) continue;
    const strength = weight * Math.sqrt(count);
    shared += strength;
    found.push({ text: spelled, strength });
  }
  if (found.length === 0) return { score: 0, terms: [] };
  return {
    score: Math.min(1, Math.log1p((STEEP * shared) / squares) / Math.log1p(STEEP * MUCH)),
    terms: strongest(found),
  };
}

const strongest = (found: readonly { text: string; strength: number }[]): string[] =>
  [...found]
    .sort((a, b) => b.strength - a.strength || (a.text < b.text ? -1 : 1))
    .map(({ text }) => text)
    .filter((text, at, all) => all.indexOf(text) === at)
    .slice(0, MAX_EVIDENCE);

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
