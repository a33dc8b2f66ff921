import { z } from 'zod';
import { TAXONOMY_BOUNDS } from '../ai/taxonomy-proposal.ts';
import type { Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { notFound, ServiceError, validationFailed } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { lineOf } from '../kernel/line.ts';
import type { By } from './by.ts';
import { refuseDraftDomain, refuseOther, TAXONOMY_LIMITS } from './change-taxonomy.ts';
import { findPolicy } from './policy-documents.sql.ts';
import { listMappings, lockMapping, markDecided, type StoredMapping } from './regulatory-mappings.sql.ts';
import { lockDomain } from './taxonomy.sql.ts';
import { type Citation, countTaxonomy, insertMappings } from './taxonomy-drafts.sql.ts';
import { MAPPING_TRANSITIONS } from './taxonomy-states.ts';

/** Every response about a mapping contains it. */
const MAPPING_LABEL = 'mapped as relevant, not a legal determination';

const most = TAXONOMY_BOUNDS;

/** The mapping that a person drafts. `version` of the citation is by default the newest. */
export const MappingDraftSchema = z.strictObject({
  domainId: z.string().min(1).max(64),
  jurisdiction: lineOf(most.jurisdiction),
  regulation: lineOf(most.regulation),
  rationale: z.string().trim().min(1).max(most.text),
  citation: z
    .strictObject({
      documentId: z.string().min(1).max(64),
      version: z.int().min(1).max(1_000).optional(),
      anchor: z.string().min(1).max(200),
    })
    .optional(),
});
type DraftedCitation = NonNullable<z.infer<typeof MappingDraftSchema>['citation']>;

export const MappingSchema = z.object({
  mappingId: z.string(),
  domainId: z.string(),
  label: z.literal(MAPPING_LABEL),
  jurisdiction: z.string(),
  regulation: z.string(),
  rationale: z.string(),
  citation: z
    .object({ documentId: z.string(), version: z.int(), anchor: z.string(), heading: z.string() })
    .nullable(),
  status: z.enum(['draft', 'approved', 'rejected']),
  origin: z.enum(['generated', 'manual']),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  createdBy: z.string(),
  decidedBy: z.string().nullable(),
  decidedAt: z.iso.datetime().nullable(),
  revision: z.int(),
  updatedAt: z.iso.datetime(),
});
type Mapping = z.infer<typeof MappingSchema>;

const shown = (mapping: StoredMapping): Mapping => ({ ...mapping, label: MAPPING_LABEL });

export const listedMappings = async (
  tx: Tx,
  visibility: Visibility,
  which: { domainId: string | null; limit: number },
): Promise<Mapping[]> => (await listMappings(tx, visibility, which)).map(shown);

/**
 * Adds a draft. Throws `validation_failed`, and `conflict` if the regulation is already mapped to the domain or the
 * limit is reached.
 */
export async function draftMapping(
  tx: Tx,
  by: By,
  { citation, ...draft }: z.infer<typeof MappingDraftSchema>,
): Promise<Mapping> {
  if ((await lockDomain(tx, draft.domainId)) === null)
    throw validationFailed([{ path: 'domainId', message: 'No such domain.' }]);
  const cited = citation === undefined ? null : await resolveCitation(tx, citation);
  if ((await countTaxonomy(tx)).mappings >= TAXONOMY_LIMITS.mappings)
    throw new ServiceError('conflict', `There are already ${TAXONOMY_LIMITS.mappings} mappings.`);
  const { principal, now } = by;
  const id = newId('map', now);
  const added = await insertMappings(
    tx,
    [{ id, ...draft, citation: cited }],
    { origin: 'manual', provider: null, model: null, createdBy: principal.principalId },
    now,
  );
  if (!added.has(id))
    throw new ServiceError(
      'conflict',
      'This regulation of this jurisdiction is already mapped to the domain.',
    );
  audited(by, 'regulatory_mapping_drafted', id, { domainId: draft.domainId });
  return mappingOf(tx, id);
}

/**
 * Resolves a citation, with the heading of its section in that version. Throws `validation_failed` if it does not
 * exist.
 */
async function resolveCitation(tx: Tx, { documentId, version, anchor }: DraftedCitation): Promise<Citation> {
  const policy = await findPolicy(tx, documentId, version ?? null);
  if (policy === null)
    throw validationFailed([{ path: 'citation.documentId', message: 'No such policy document or version.' }]);
  const section = policy.sections.find((each) => each.anchor === anchor);
  if (section === undefined)
    throw validationFailed([{ path: 'citation.anchor', message: 'No such section in this version.' }]);
  return { documentId, version: policy.version, anchor, heading: section.heading };
}

/**
 * Approves or rejects a mapping. A mapping that already has this status stays as it is. Throws `not_found`, and
 * `conflict` if it is no longer a draft, its domain is a draft, or the caller has read another revision.
 */
export async function decideMapping(
  tx: Tx,
  by: By,
  mappingId: string,
  { decision, revision }: { decision: 'approve' | 'reject'; revision: number | undefined },
): Promise<Mapping> {
  const stored = await mappingOf(tx, mappingId);
  const to = MAPPING_TRANSITIONS.find((row) => row.from === stored.status && row.trigger === decision)?.to;
  const wanted = decision === 'approve' ? 'approved' : 'rejected';
  if (stored.status === wanted) return stored;
  if (to !== wanted)
    throw new ServiceError('conflict', 'The mapping was rejected. If it is relevant, draft it again.');
  refuseOther(stored, revision);
  if (wanted === 'approved') await refuseDraftDomain(tx, stored.domainId);
  await markDecided(tx, mappingId, wanted, by.principal.principalId, by.now);
  audited(by, `regulatory_mapping_${wanted}`, mappingId, {
    domainId: stored.domainId,
    origin: stored.origin,
  });
  return mappingOf(tx, mappingId);
}

async function mappingOf(tx: Tx, mappingId: string): Promise<Mapping> {
  const stored = await lockMapping(tx, mappingId);
  if (stored === null) throw notFound();
  return shown(stored);
}

const audited = ({ audit }: By, type: string, id: string, details: Record<string, string>) =>
  audit({ category: 'governance', type, target: { kind: 'regulatory_mapping', id }, details });
