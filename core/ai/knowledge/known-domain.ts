import type { TaxonomyProposal } from '../taxonomy-proposal.ts';

type ProposedDomain = TaxonomyProposal['domains'][number];
export type KnownType = ProposedDomain['informationTypes'][number] & {
  /** Whether it names people, and therefore uses the identity numbers of the organization's locations. */
  identifiesPeople: boolean;
};

/** A business domain that the mock provider knows. */
export type KnownDomain = Omit<ProposedDomain, 'informationTypes' | 'regulatoryMappings'> & {
  informationTypes: readonly KnownType[];
  /**
   * Stems of words in an organization's industries that imply this domain. A full stop ends a whole word. Empty if
   * every organization has the domain.
   */
  industries: readonly string[];
  /** Stems of words in policies and descriptions that indicate the domain. */
  words: readonly string[];
};

/** Splits a list of items separated by commas. */
export const listed = (items: string): string[] =>
  items
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Creates an information type. `detectors` and `keywords` are lists separated by commas. */
export function knownType(
  name: string,
  sensitivity: KnownType['sensitivity'],
  about: {
    definition: string;
    why: string;
    where: string;
    detectors?: string;
    keywords: string;
    people?: true;
  },
): KnownType {
  return {
    name,
    sensitivity,
    definition: about.definition,
    sensitivityRationale: about.why,
    expectedLocationNote: about.where,
    detectors: listed(about.detectors ?? ''),
    keywords: listed(about.keywords),
    identifiesPeople: about.people ?? false,
  };
}
