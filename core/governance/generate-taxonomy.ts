import { z } from 'zod';
import { AiError, type AiProvider } from '../ai/provider.ts';
import type { TaxonomyInput, TaxonomyProposal } from '../ai/taxonomy-proposal.ts';
import { meterFor } from '../ai-usage/meter-for.ts';
import type { Config } from '../config/config.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import { builtInDetectors } from '../detectors/on-demand.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError, validationFailed } from '../kernel/errors.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import type { By } from './by.ts';
import { TAXONOMY_LIMITS } from './change-taxonomy.ts';
import { loadProfile } from './organization-profile.sql.ts';
import { listPolicyTexts } from './policy-documents.sql.ts';
import { MAX_POLICIES } from './policy-documents.ts';
import { similarDomains } from './similar-names.ts';
import {
  type Citation,
  countTaxonomy,
  type Drafted,
  insertDomains,
  insertInformationTypes,
  insertMappings,
  listDomainNames,
  namesTaken,
} from './taxonomy-drafts.sql.ts';
import { SimilarDomainsSchema } from './taxonomy-schema.ts';

/**
 * What the provider receives of the policies: the total number of sections, shared among the documents, and the
 * characters of each section and document.
 */
const SENT = { sections: 300, charactersOfSection: 600, charactersOfDocument: 200_000 };
/** Less than the platform's timeout for a request. */
const WITHIN_MS = 200_000;
const DRAFTS_NOTE =
  'All objects are drafts. Nothing of them takes part in classification before a person has approved it.';

export const GeneratedSchema = z.object({
  provider: z.string(),
  model: z.string(),
  mode: z.enum(['mock', 'live']),
  note: z.string(),
  created: z.object({
    domains: z.array(
      z.object({ id: z.string(), name: z.string(), informationTypes: z.int(), regulatoryMappings: z.int() }),
    ),
    informationTypes: z.int(),
    regulatoryMappings: z.int(),
  }),
  /** Domains that were created although the name of another domain, stored or new, is similar. */
  similar: z.array(z.object({ domainId: z.string(), name: z.string(), similarTo: SimilarDomainsSchema })),
  /** `exists`: another domain has the name. `limit`: the maximum number of domains, types or mappings is reached. */
  skipped: z.array(z.object({ name: z.string(), reason: z.enum(['exists', 'limit']) })),
});

/** A proposal that is not stored yet, with the sections that it may cite. */
export type Proposed = {
  provider: Pick<AiProvider, 'name' | 'mode'>;
  model: string;
  proposal: TaxonomyProposal;
  citations: ReadonlyMap<string, Citation>;
};

type Parts = { config: Config; db: Db; clock: Clock; ai: AiProvider; stopping: AbortSignal };

/**
 * Asks the provider for a taxonomy that fits the profile and the policies. Call it outside of a transaction. Throws
 * `blocked_capability` if the provider is missing, does not answer, or could exceed the spending cap, and `validation_failed` if there is no profile.
 */
export async function proposeTaxonomy(parts: Parts, tenantId: TenantId): Promise<Proposed> {
  const { db, ai, stopping } = parts;
  const { taxonomy } = ai;
  if (taxonomy === null)
    throw new ServiceError(
      'blocked_capability',
      'The AI provider has no chat deployment. Set SVC_AI_CHAT_DEPLOYMENT.',
    );
  const { input, citations } = await withTx(db, { tenantId, mode: 'read' }, taxonomyInput);
  try {
    const proposal = await taxonomy.propose(
      input,
      AbortSignal.any([stopping, AbortSignal.timeout(WITHIN_MS)]),
      meterFor(parts, tenantId),
    );
    return { provider: ai, model: taxonomy.model, proposal, citations };
  } catch (error) {
    if (!(error instanceof AiError)) throw error;
    throw new ServiceError(
      'blocked_capability',
      `The AI provider gave no usable answer (${error.message}). Nothing was drafted. Try again, or check SVC_AI_ENDPOINT, ` +
        'SVC_AI_CHAT_DEPLOYMENT and SVC_AI_KEY_REF.',
    );
  }
}

async function taxonomyInput(
  tx: Tx,
): Promise<{ input: TaxonomyInput; citations: ReadonlyMap<string, Citation> }> {
  const profile = await loadProfile(tx);
  if (profile === null)
    throw validationFailed([
      {
        path: '',
        message: 'There is no organization profile yet. Save one with POST /api/onboarding/profile.',
      },
    ]);
  const policies = await listPolicyTexts(tx, {
    documents: MAX_POLICIES,
    characters: SENT.charactersOfDocument,
  });
  const share = Math.floor(SENT.sections / Math.max(1, policies.length));
  const given = policies.flatMap(({ documentId, version, title, sections, text }) =>
    sections
      .slice(0, share)
      .filter(({ start }) => start < text.length)
      .map(({ anchor, heading, start, end }) => ({
        citation: { documentId, version, anchor, heading },
        section: { title, heading, text: text.slice(start, Math.min(end, start + SENT.charactersOfSection)) },
      })),
  );
  const { name, industries, geographies, description } = profile;
  return {
    input: {
      profile: { name, industries, geographies, description },
      sections: given.map(({ section }, i) => ({ ref: `s${i + 1}`, ...section })),
      detectors: (await builtInDetectors()).map(({ id, title }) => ({ id, title })),
    },
    citations: new Map(given.map(({ citation }, i) => [`s${i + 1}`, citation])),
  };
}

/**
 * Stores a proposal as drafts. If a domain of the same name exists, or a concurrent call adds it, the proposed domain
 * is skipped with all its types and mappings. A domain with a similar name is stored and reported, because only the
 * person who approves it can see whether the two are the same.
 */
export async function storeProposal(
  tx: Tx,
  { principal, audit, now }: By,
  { provider, model, proposal, citations }: Proposed,
): Promise<z.infer<typeof GeneratedSchema>> {
  const taken = await namesTaken(
    tx,
    proposal.domains.map(({ name }) => name),
  );
  const fresh = proposal.domains.filter(({ name }) => !taken.has(name));
  const fitting = new Set(within(await countTaxonomy(tx), fresh));
  const drafts = [...fitting].map((domain) => ({ id: newId('dom', now), domain }));
  const drafted: Drafted = {
    origin: 'generated',
    provider: provider.name,
    model,
    createdBy: principal.principalId,
  };
  const added = await insertDomains(
    tx,
    drafts.map(({ id, domain }) => ({ id, ...domain })),
    drafted,
    now,
  );
  const created = drafts.filter(({ id }) => added.has(id));
  const types = created.flatMap(({ id: domainId, domain }) =>
    domain.informationTypes.map(({ detectors, keywords, ...type }) => ({
      id: newId('ift', now),
      domainId,
      ...type,
      indicators: { detectors, keywords },
    })),
  );
  const mappings = created.flatMap(({ id: domainId, domain }) =>
    domain.regulatoryMappings.map(({ citedSection, ...mapping }) => ({
      id: newId('map', now),
      domainId,
      ...mapping,
      citation: citations.get(citedSection ?? '') ?? null,
    })),
  );
  const storedTypes = await insertInformationTypes(tx, types, drafted, now);
  const storedMappings = await insertMappings(tx, mappings, drafted, now);
  const counted = { informationTypes: storedTypes.size, regulatoryMappings: storedMappings.size };
  audit({
    category: 'governance',
    type: 'taxonomy_generated',
    details: { provider: provider.name, mode: provider.mode, model, domains: created.length, ...counted },
  });
  const createdNames = new Set(created.map(({ domain }) => domain));
  const similar = similarDomains(await listDomainNames(tx, TAXONOMY_LIMITS.domains), (id) => added.has(id));
  return {
    provider: provider.name,
    model,
    mode: provider.mode,
    note: DRAFTS_NOTE,
    created: {
      domains: created.map(({ id, domain: { name } }) => ({
        id,
        name,
        informationTypes: types.filter((type) => type.domainId === id && storedTypes.has(type.id)).length,
        regulatoryMappings: mappings.filter((each) => each.domainId === id && storedMappings.has(each.id))
          .length,
      })),
      ...counted,
    },
    similar: created
      .map(({ id, domain: { name } }) => ({ domainId: id, name, similarTo: similar.get(id) ?? [] }))
      .filter(({ similarTo }) => similarTo.length > 0),
    skipped: proposal.domains
      .filter((domain) => !createdNames.has(domain))
      .map((domain) => ({
        name: domain.name,
        reason: fitting.has(domain) || taken.has(domain.name) ? 'exists' : 'limit',
      })),
  };
}

type ProposedDomain = TaxonomyProposal['domains'][number];

/** The first domains that fit within the limits, each with all its types and mappings. */
function within(
  counts: { domains: number; types: number; mappings: number },
  domains: readonly ProposedDomain[],
): ProposedDomain[] {
  const total = { ...counts };
  return domains.filter(({ informationTypes, regulatoryMappings }) => {
    const after = {
      domains: total.domains + 1,
      types: total.types + informationTypes.length,
      mappings: total.mappings + regulatoryMappings.length,
    };
    const fits =
      after.domains <= TAXONOMY_LIMITS.domains &&
      after.types <= TAXONOMY_LIMITS.types &&
      after.mappings <= TAXONOMY_LIMITS.mappings;
    if (fits) Object.assign(total, after);
    return fits;
  });
}
