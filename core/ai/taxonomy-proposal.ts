import { z } from 'zod';
import { DECEPTIVE } from '../kernel/line.ts';
import type { Meter } from './meter.ts';

/** The input for a draft of a taxonomy. */
export type TaxonomyInput = {
  profile: {
    name: string;
    industries: readonly string[];
    geographies: readonly string[];
    description: string;
  };
  /** Sections of the organization's policies. The answer cites a section by its short `ref`. */
  sections: readonly { ref: string; title: string; heading: string; text: string }[];
  /** Detectors that an information type may list. */
  detectors: readonly { id: string; title: string }[];
};

export const SENSITIVITIES = ['public', 'internal', 'confidential', 'restricted'] as const;

/** The answer of a provider. The schema checks its shape, and `tidyProposal` bounds its content. */
export const TaxonomyProposalSchema = z.strictObject({
  domains: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      inclusion: z.string(),
      exclusion: z.string(),
      informationTypes: z.array(
        z.strictObject({
          name: z.string(),
          definition: z.string(),
          sensitivityRationale: z.string(),
          expectedLocationNote: z.string(),
          sensitivity: z.enum(SENSITIVITIES),
          detectors: z.array(z.string()),
          keywords: z.array(z.string()),
        }),
      ),
      regulatoryMappings: z.array(
        z.strictObject({
          jurisdiction: z.string(),
          regulation: z.string(),
          rationale: z.string(),
          /** A `ref` of the input, or null. */
          citedSection: z.string().nullable(),
        }),
      ),
    }),
  ),
});
export type TaxonomyProposal = z.infer<typeof TaxonomyProposalSchema>;

/** Drafts a taxonomy. */
export type TaxonomyProposer = {
  /** The name of the model, stored with each draft. */
  readonly model: string;
  /** Throws `AiError`, and what the meter throws. The answer has passed `tidyProposal`. */
  propose(input: TaxonomyInput, signal: AbortSignal, meter: Meter): Promise<TaxonomyProposal>;
};

/** The limits of a proposal. They are the limits for people too. */
export const TAXONOMY_BOUNDS = {
  domains: 40,
  typesOfDomain: 20,
  mappingsOfDomain: 20,
  name: 120,
  text: 2_000,
  jurisdiction: 120,
  regulation: 120,
  detectors: 50,
  keywords: 200,
  keyword: 60,
} as const;

/**
 * Limits a proposal: truncates long texts, and drops duplicate names and detectors and sections that the input does
 * not contain. Drops everything without a name.
 */
export function tidyProposal(proposal: TaxonomyProposal, input: TaxonomyInput): TaxonomyProposal {
  const most = TAXONOMY_BOUNDS;
  const refs = new Set(input.sections.map(({ ref }) => ref));
  const detectors = new Set(input.detectors.map(({ id }) => id));
  const text = (raw: string) => cut(raw, most.text);
  return {
    domains: named(proposal.domains, most.domains, ({ name }) => cut(name, most.name)).map(
      ([domain, name]) => ({
        name,
        description: text(domain.description),
        inclusion: text(domain.inclusion),
        exclusion: text(domain.exclusion),
        informationTypes: named(domain.informationTypes, most.typesOfDomain, (type) =>
          cut(type.name, most.name),
        ).map(([type, typeName]) => ({
          name: typeName,
          definition: text(type.definition),
          sensitivityRationale: text(type.sensitivityRationale),
          expectedLocationNote: text(type.expectedLocationNote),
          sensitivity: type.sensitivity,
          detectors: [...new Set(type.detectors)].filter((id) => detectors.has(id)).slice(0, most.detectors),
          keywords: named(type.keywords, most.keywords, (word) => cut(word, most.keyword).toLowerCase()).map(
            ([, keyword]) => keyword,
          ),
        })),
        regulatoryMappings: named(domain.regulatoryMappings, most.mappingsOfDomain, (mapping) => {
          const jurisdiction = cut(mapping.jurisdiction, most.jurisdiction);
          const regulation = cut(mapping.regulation, most.regulation);
          return jurisdiction === '' || regulation === '' ? '' : `${jurisdiction}\n${regulation}`;
        }).map(([mapping]) => ({
          jurisdiction: cut(mapping.jurisdiction, most.jurisdiction),
          regulation: cut(mapping.regulation, most.regulation),
          rationale: text(mapping.rationale),
          citedSection:
            mapping.citedSection !== null && refs.has(mapping.citedSection) ? mapping.citedSection : null,
        })),
      }),
    ),
  };
}

/** The first `most` items with a name. Of equal names, ignoring case, only the first. */
function named<T>(items: readonly T[], most: number, nameOf: (item: T) => string): [item: T, name: string][] {
  const found = new Map<string, [T, string]>();
  for (const item of items) {
    const name = nameOf(item);
    const key = name.toLowerCase();
    if (name !== '' && !found.has(key)) found.set(key, [item, name]);
    if (found.size === most) break;
  }
  return [...found.values()];
}

/** One line of at most `most` characters that Postgres can store. */
const cut = (raw: string, most: number): string =>
  raw
    .slice(0, 2 * most)
    .toWellFormed()
    .normalize('NFC')
    .replace(DECEPTIVE, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed()
    .trim();
