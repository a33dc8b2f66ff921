import type { TaxonomyProposal } from '../taxonomy-proposal.ts';

type ProposedDomain = TaxonomyProposal['domains'][number];
export type KnownType = ProposedDomain['informationTypes'][number] & {
  /** Names people, so that it bears the identity numbers of where the organization works. */
  identifiesPeople: boolean;
};

/** A business domain as the mock knows it. */
export type KnownDomain = Omit<ProposedDomain, 'informationTypes' | 'regulatoryMappings'> & {
  informationTypes: readonly KnownType[];
  /**
   * Stems of words in the industries of an organization that has it, whole words where a full stop ends them; empty:
   * every organization has it.
   */
  industries: readonly string[];
  /** Stems of words in policies and descriptions that speak of it. */
  words: readonly string[];
};

/** A list in one string, its items after commas. */
export const listed = (items: string): string[] =>
  items
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** An information type in one call; `detectors` and `keywords` are lists in a string. */
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
    ...{ name, sensitivity, definition: about.definition },
    sensitivityRationale: about.why,
    expectedLocationNote: about.where,
    detectors: listed(about.detectors ?? ''),
    keywords: listed(about.keywords),
    identifiesPeople: about.people ?? false,
  };
}
