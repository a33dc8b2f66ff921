import { createHash } from 'node:crypto';
import { contentTerms } from '../ai/terms.ts';
import { stem, words } from '../kernel/words.ts';
import { pairsOf, termHash, termsOf } from './lexical.ts';

export type Sensitivity = 'public' | 'internal' | 'confidential' | 'restricted';

export type TaxonomyDomain = {
  domainId: string;
  name: string;
  description: string;
  inclusion: string;
  exclusion: string;
};

export type TaxonomyInformationType = {
  informationTypeId: string;
  domainId: string;
  name: string;
  definition: string;
  sensitivity: Sensitivity;
  /** Approved with the type: detectors and words that occur in such documents. */
  indicators: { detectors: readonly string[]; keywords: readonly string[] };
};

/** The approved taxonomy. A type whose domain is missing is ignored. */
export type Taxonomy = {
  domains: readonly TaxonomyDomain[];
  informationTypes: readonly TaxonomyInformationType[];
};

/** Vectors of the texts of `taxonomyText`, by information type id. */
export type TaxonomyEmbeddings = {
  provider: string;
  model: string;
  vectors: ReadonlyMap<string, Float32Array>;
};

type Keyword = { text: string; hashes: readonly number[]; weight: number };
/** A term with its spelling in the approved texts. */
type SpelledTerm = { term: string; spelled: string };
type WeightedTerm = { spelled: string; weight: number; inName: boolean };

/** An information type, prepared once for many assets. */
export type IndexedType = {
  type: TaxonomyInformationType;
  domainName: string;
  /** Term hash to its weight in the type's texts. Terms that few types have weigh more. */
  terms: ReadonlyMap<number, WeightedTerm>;
  excluded: ReadonlyMap<number, WeightedTerm>;
  keywords: readonly Keyword[];
  /**
   * Terms of the name and the keywords, which may occur in the name of a file or folder, with their spelling in the
   * approved texts.
   */
  naming: ReadonlyMap<string, string>;
  /** Detector id to its weight: 1 if only this type lists it, less if others do. */
  detectors: ReadonlyMap<string, number>;
  vector: Float32Array | null;
};

export type TaxonomyIndex = {
  types: readonly IndexedType[];
  /** Term hash to its rarity among the types. */
  rarities: ReadonlyMap<number, number>;
  embeddingModel: { provider: string; model: string } | null;
  /** Digest of what the provider is sent of the types for a second opinion. */
  typeSet: string;
  /** Whose second opinions count. Null if they are switched off. */
  opinionModel: { provider: string; model: string } | null;
};

/** Weight of a word of the type's name. A word of its definition weighs 1. */
const NAME_WEIGHT = 3;

/** The text that is embedded for an information type. */
export const taxonomyText = (domain: TaxonomyDomain, type: TaxonomyInformationType): string =>
  [type.name, type.definition, type.indicators.keywords.join(', '), domain.name, domain.description].join(
    '\n',
  );

/** Prepares the taxonomy for `infer`. The order of its parts does not matter. */
export function indexTaxonomy(
  taxonomy: Taxonomy,
  embeddings: TaxonomyEmbeddings | null,
  opinionModel: TaxonomyIndex['opinionModel'] = null,
): TaxonomyIndex {
  const domains = new Map(taxonomy.domains.map((domain) => [domain.domainId, domain]));
  const parts = taxonomy.informationTypes
    .flatMap((type) => {
      const domain = domains.get(type.domainId);
      return domain === undefined ? [] : [{ type, domain }];
    })
    .sort((a, b) => (a.type.informationTypeId < b.type.informationTypeId ? -1 : 1));
  const texts = parts.map(({ type, domain }) => ({
    type,
    domainName: domain.name,
    keywords: keywordsOf(type),
    included: weighTerms([
      [type.name, NAME_WEIGHT],
      [type.definition, 1],
      ...type.indicators.keywords.map((keyword): [string, number] => [keyword, 1]),
      [domain.name, 1],
      [domain.inclusion, 0.5],
    ]),
    excluded: weighTerms([[domain.exclusion, 1]]),
  }));
  const typesWithTerm = countEach(texts.map(({ included }) => included.keys()));
  const typesWithKeyword = countEach(texts.map(({ keywords }) => keywords.keys()));
  const typesWithDetector = countEach(parts.map(({ type }) => new Set(type.indicators.detectors)));
  const rarity = (term: string) => Math.log(1 + parts.length / (typesWithTerm.get(term) ?? 1));
  return {
    types: texts.map(({ type, domainName, keywords, included, excluded }) => ({
      type,
      domainName,
      terms: hashed(included, rarity),
      // Words that the domain's own texts contain too are no sign of the excluded.
      excluded: hashed(new Map([...excluded].filter(([term]) => !included.has(term))), rarity),
      keywords: [...keywords].map(([terms, keyword]) => ({
        ...keyword,
        weight: 1 / (typesWithKeyword.get(terms) ?? 1),
      })),
      naming: new Map(
        [type.name, ...type.indicators.keywords]
          .flatMap(spelledTerms)
          .toReversed()
          .map(({ term, spelled }) => [term, spelled]),
      ),
      detectors: new Map(
        [...new Set(type.indicators.detectors)].map((id) => [
          id,
          1 / Math.sqrt(typesWithDetector.get(id) ?? 1),
        ]),
      ),
      vector: embeddings?.vectors.get(type.informationTypeId) ?? null,
    })),
    rarities: new Map([...typesWithTerm.keys()].map((term) => [termHash(term), rarity(term)])),
    embeddingModel: embeddings === null ? null : { provider: embeddings.provider, model: embeddings.model },
    typeSet: createHash('sha256')
      .update(
        JSON.stringify(
          parts.map(({ type, domain }) => [
            type.informationTypeId,
            type.name,
            type.definition,
            domain.domainId,
            domain.name,
          ]),
        ),
      )
      .digest('hex'),
    opinionModel,
  };
}

function weighTerms(texts: readonly [text: string, weight: number][]): Map<string, WeightedTerm> {
  const weighted = new Map<string, WeightedTerm>();
  for (const [text, weight] of texts) {
    const terms = spelledTerms(text);
    for (const { term, spelled } of [...terms, ...spelledPairs(terms)]) {
      if (weight > (weighted.get(term)?.weight ?? 0))
        weighted.set(term, { spelled, weight, inName: weight === NAME_WEIGHT });
    }
  }
  return weighted;
}

const spelledTerms = (text: string): SpelledTerm[] =>
  words(text).flatMap((word) => contentTerms([word]).map((term) => ({ term, spelled: stem(word) })));

/** A pair within a compound is spelled as one word. */
const spelledPairs = (terms: readonly SpelledTerm[]): SpelledTerm[] =>
  pairsOf(terms.map(({ term }) => term)).map((term, at) => ({
    term,
    spelled: [...new Set(terms.slice(at, at + 2).map(({ spelled }) => spelled))].join(' '),
  }));

const hashed = (weighted: ReadonlyMap<string, WeightedTerm>, rarity: (term: string) => number) =>
  new Map(
    [...weighted].map(([term, each]) => [
      termHash(term),
      { ...each, weight: each.weight * Math.sqrt(rarity(term)) },
    ]),
  );

/** A phrase is found by its pairs of terms, a single word by its term. Keywords with the same terms are merged. */
function keywordsOf(type: TaxonomyInformationType): Map<string, Pick<Keyword, 'text' | 'hashes'>> {
  const keywords = type.indicators.keywords.toReversed().flatMap((text) => {
    const terms = termsOf(text);
    const hashes = (terms.length === 1 ? terms : pairsOf(terms)).map(termHash);
    return terms.length === 0 ? [] : [[terms.join(' '), { text, hashes }] as const];
  });
  return new Map(keywords);
}

function countEach(groups: readonly Iterable<string>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const group of groups) {
    for (const member of group) counts.set(member, (counts.get(member) ?? 0) + 1);
  }
  return counts;
}
