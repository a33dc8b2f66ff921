import { asPhrase } from './knowledge/as-phrase.ts';
import { BUSINESS_FUNCTIONS } from './knowledge/business-functions.ts';
import { type KnownGeography, placesOf } from './knowledge/geographies.ts';
import type { KnownDomain, KnownType } from './knowledge/known-domain.ts';
import { type KnownRegulation, REGULATIONS } from './knowledge/regulations.ts';
import { SECTORS } from './knowledge/sectors.ts';
import { AiError } from './provider.ts';
import {
  type TaxonomyInput,
  type TaxonomyProposal,
  type TaxonomyProposer,
  tidyProposal,
} from './taxonomy-proposal.ts';

type Domain = TaxonomyProposal['domains'][number];
type Mapping = Domain['regulatoryMappings'][number];
type Spoken = { ref: string; text: string };

/** An organization has a sector if at least this many sections of its policies mention it. */
const LEAST_SECTIONS = 2;

/**
 * Proposes a taxonomy without a model. It selects from a built-in catalogue by the industries, the geographies and
 * the words of the policies. The same input gives the same proposal.
 */
export const mockTaxonomy = {
  model: 'business-catalogue-v1',
  propose: async (input: TaxonomyInput, signal: AbortSignal) => {
    if (signal.aborted) throw new AiError('aborted');
    return tidyProposal(proposalFor(input), input);
  },
} satisfies TaxonomyProposer;

function proposalFor({ profile, sections }: TaxonomyInput): TaxonomyProposal {
  const industries = asPhrase(profile.industries.join(' . '));
  const description = asPhrase(profile.description);
  const spoken = sections.map(({ ref, title, heading, text }) => ({
    ref,
    text: asPhrase(`${title} . ${heading} . ${text}`),
  }));
  const places = placesOf(profile.geographies);
  const regulations = regulationsFor(industries, places, spoken);
  const identityDetectors = [...new Set(places.flatMap((place) => place.identityDetectors))];
  const sectors = SECTORS.filter(
    (domain) =>
      speaksOf(industries, domain.industries) ||
      speaksOf(description, domain.industries) ||
      spoken.filter(({ text }) => speaksOf(text, domain.words)).length >= LEAST_SECTIONS,
  );
  return {
    domains: [...BUSINESS_FUNCTIONS, ...sectors].map((domain) => ({
      name: domain.name,
      description: domain.description,
      inclusion: domain.inclusion,
      exclusion: domain.exclusion,
      informationTypes: domain.informationTypes.map((type) => proposedType(type, identityDetectors)),
      regulatoryMappings: regulations
        .filter((regulation) => concerns(regulation, domain))
        .map((regulation) => mappingTo(regulation, domain, spoken)),
    })),
  };
}

/**
 * Whether a text contains one of these words. Words of four or more letters also match as a prefix, unless a full
 * stop follows them.
 */
const speaksOf = (phrase: string, stems: readonly string[]): boolean =>
  stems.some((stem) => {
    const wanted = asPhrase(stem);
    return phrase.includes(stem.length < 4 || stem.endsWith('.') ? wanted : wanted.trimEnd());
  });

const regulationsFor = (
  industries: string,
  places: readonly KnownGeography[],
  spoken: readonly Spoken[],
): KnownRegulation[] => {
  const regions = new Set(places.flatMap((place) => place.regions));
  return REGULATIONS.filter((regulation) => {
    const here = regulation.regions.length === 0 || regulation.regions.some((region) => regions.has(region));
    const concerned = regulation.industries.length === 0 || speaksOf(industries, regulation.industries);
    return (here && concerned) || spoken.some(({ text }) => namesRegulation(text, regulation));
  });
};

const namesRegulation = (phrase: string, { names }: KnownRegulation): boolean =>
  names.some((name) => phrase.includes(asPhrase(name)));

const concerns = (regulation: KnownRegulation, domain: KnownDomain): boolean =>
  regulation.domains.length === 0
    ? domain.informationTypes.some((type) => type.identifiesPeople)
    : regulation.domains.includes(domain.name);

/** Cites a section that names the regulation and mentions the domain, or else one that only names the regulation. */
function mappingTo(regulation: KnownRegulation, domain: KnownDomain, spoken: readonly Spoken[]): Mapping {
  const naming = spoken.filter(({ text }) => namesRegulation(text, regulation));
  const cited = naming.find(({ text }) => speaksOf(text, domain.words)) ?? naming[0];
  return {
    jurisdiction: regulation.jurisdiction,
    regulation: regulation.name,
    rationale: `It asks for ${regulation.asks}; ${domain.name} may hold what it concerns.${cited === undefined ? '' : ' A policy names it.'}`,
    citedSection: cited?.ref ?? null,
  };
}

function proposedType(
  { identifiesPeople, ...type }: KnownType,
  identityDetectors: readonly string[],
): Domain['informationTypes'][number] {
  return identifiesPeople ? { ...type, detectors: [...type.detectors, ...identityDetectors] } : type;
}
