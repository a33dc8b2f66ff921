import type { Signal } from '../detectors/detector.ts';
import type { Features, Opinion } from './features.ts';
import { cosine, type TermCounts, unpackTerms, unpackVector } from './packed.ts';
import type { IndexedType, TaxonomyIndex } from './taxonomy-index.ts';

/**
 * The facts behind a contribution: words of the approved taxonomy, ids and counts, never content. People are shown the
 * words as the document spells them; see `quote`.
 */
export type Evidence = Readonly<Record<string, string | number | readonly string[]>>;

/** `score` is from -1 to 1, before its weight. 0 means that there is no evidence either way. */
export type Scored = { score: number; evidence: Evidence };

/** An asset, prepared once and scored against every information type. */
export type Subject = {
  terms: TermCounts;
  /**
   * Terms of the title and the first short lines that the taxonomy contains, each with its rarity among the types.
   */
  title: readonly { hash: number; rarity: number }[];
  /** The total weight of `title`, with a small constant that limits the score of titles with few known terms. */
  titleWeight: number;
  nameTerms: ReadonlySet<string>;
  pathTerms: ReadonlySet<string>;
  signals: readonly Signal[];
  /** Information type id to how much closer the asset is to that type than to the average type. */
  nearness: ReadonlyMap<string, number>;
};

/** An owner's decision on a similar asset. */
export type RelatedDecision = {
  kind: 'exact' | 'near';
  informationTypeId: string;
  outcome: 'confirmed' | 'refused';
  /** For `near`: what is similar, and the similarity from 0 to 1. */
  likeness?: string;
  similarity?: number;
};

const MAX_EVIDENCE = 8;
/** An overlap of `MUCH` or more scores 1. `STEEP` sets how strongly smaller overlaps differ. */
const MUCH = 5;
const STEEP = 10;
/** Rarity of about one word of a title. */
const FEW_TITLE_WORDS = 2;
/** The weight of a title word that occurs in the type's texts but not in its name. */
const NOT_IN_NAME = 0.7;
/** Texts of one template are at least about so similar. */
const BARELY_ALIKE = 0.5;
export const NOTHING: Scored = { score: 0, evidence: {} };

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

/**
 * Detectors that the type lists, without those that another type lists too. A detector that several types list counts
 * less, and each further hit adds less.
 */
export function detectorSignals(
  subject: Pick<Subject, 'signals'>,
  indexed: IndexedType,
  without?: IndexedType,
): Scored {
  let missing = 1;
  const detectors: string[] = [];
  for (const { detectorId, confidence, count } of subject.signals) {
    const specificity = indexed.detectors.get(detectorId);
    if (specificity === undefined || without?.detectors.has(detectorId) === true) continue;
    missing *= 1 - specificity * confidence * (1 - 0.5 * Math.exp(-(count - 1) / 4));
    detectors.push(detectorId);
  }
  return detectors.length === 0 ? NOTHING : { score: 1 - missing, evidence: { detectors } };
}

/** Approved keywords and phrases that occur in the text. */
export function indicatorKeywords(subject: Subject, indexed: IndexedType): Scored {
  const found = indexed.keywords.flatMap(({ text, hashes, weight }) => {
    if (!hashes.every((hash) => subject.terms.has(hash))) return [];
    const count = Math.min(...hashes.map((hash) => subject.terms.get(hash) ?? 0));
    // A phrase is rarer than each of its words, so finding it counts more.
    const rarity = text.includes(' ') ? 1.5 : 1;
    return [{ text, strength: weight * rarity * (0.5 + 0.5 * Math.min(1, Math.log(count) / 3)) }];
  });
  if (found.length === 0) return NOTHING;
  const sum = found.reduce((total, { strength }) => total + strength, 0);
  return { score: 1 - Math.exp(-sum / 2), evidence: { keywords: strongest(found) } };
}

/**
 * Words that the text shares with the approved texts of the type and its domain, less those that the domain excludes.
 */
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

/** The share of the title's known words that the type has, in its name or elsewhere. */
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

/**
 * The similarity in the provider's vector space, relative to the mean of all types. The mean differs between models.
 */
export function embeddingSimilarity(subject: Subject, indexed: IndexedType): Scored {
  const score = subject.nearness.get(indexed.type.informationTypeId) ?? 0;
  return score === 0 ? NOTHING : { score, evidence: { nearness: Math.round(score * 1_000) / 1_000 } };
}

/** Whether the scope is expected to hold the type's domain. */
export function locationExpectation(expectedDomainId: string | null, indexed: IndexedType): Scored {
  if (expectedDomainId === null) return NOTHING;
  const score = expectedDomainId === indexed.type.domainId ? 1 : -0.25;
  return { score, evidence: { expectedDomainId } };
}

/** Words of the type's name and keywords in the name of the asset. Words in its folders count half. */
export function nameAndPath(subject: Subject, indexed: IndexedType): Scored {
  const spelledIn = (terms: ReadonlySet<string>) => {
    const found: string[] = [];
    // Most types have none of them, and a loop makes no list of all.
    for (const [term, spelled] of indexed.naming) if (terms.has(term)) found.push(spelled);
    return found.sort();
  };
  const named = spelledIn(subject.nameTerms);
  const placed = spelledIn(subject.pathTerms);
  if (named.length + placed.length === 0) return NOTHING;
  return { score: 1 - Math.exp(-named.length - placed.length / 2), evidence: { name: named, path: placed } };
}

/**
 * What the AI provider said about the text. A type that it did not choose loses less than where it says that none fits,
 * since it names one alone. Other types of the chosen domain lose nothing: types of one domain do not compete.
 */
export function secondOpinion(opinion: Opinion | null, indexed: IndexedType): Scored {
  if (opinion === null || opinion.answer === 'unusable') return NOTHING;
  const { answer, provider, model } = opinion;
  const { informationTypeId, domainId } = indexed.type;
  const answered = (score: number, what: string): Scored => ({
    score,
    evidence: { answer: what, provider, model },
  });
  if (answer === 'none') return answered(-1, 'none');
  if (answer.informationTypeId === informationTypeId) return answered(1, 'this_type');
  return answer.domainId === domainId ? NOTHING : answered(-0.5, 'other_domain');
}

/**
 * Decisions of owners on copies. A rejection of an identical copy counts as much as a confirmation. One of a similar text
 * counts by how alike the texts are: from nothing at `BARELY_ALIKE` to all at the same text.
 */
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
  const refused = of
    .filter(({ outcome }) => outcome === 'refused')
    .reduce((sum, { similarity }) => sum + ((similarity ?? 1) - BARELY_ALIKE) / (1 - BARELY_ALIKE), 0);
  const likeness = [...new Set(of.flatMap((decision) => decision.likeness ?? []))].sort();
  const similarity = of.reduce((most, decision) => Math.max(most, decision.similarity ?? 0), 0);
  return {
    score: (confirmed - refused) / of.length,
    evidence: {
      confirmed,
      refused: of.length - confirmed,
      ...(likeness.length > 0 && { likeness, similarity }),
    },
  };
}

/**
 * How often the text contains the type's weighted words, relative to their total weight. Square roots damp repeated
 * words. The logarithm of the result limits the advantage of long texts, which contain more of every word.
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
  // With a single type there is no other to compare with, so half of its cosine is taken as the mean.
  const mean = cosines.reduce((sum, [, each]) => sum + each, 0) / Math.max(2, cosines.length);
  // The range above the mean is small in models that place all texts close together.
  const room = Math.max(0.1, 1 - mean);
  return new Map(cosines.map(([id, each]) => [id, Math.max(-1, Math.min(1, (each - mean) / room))]));
}
