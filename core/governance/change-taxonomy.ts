import type { z } from 'zod';
import { violatedConstraint } from '../db/errors.ts';
import type { Tx } from '../db/tx.ts';
import { builtInDetectors } from '../detectors/on-demand.ts';
import { notFound, ServiceError, validationFailed } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { By } from './by.ts';
import { listCustomDetectors } from './custom-detectors.sql.ts';
import { MAX_DETECTORS } from './custom-detectors.ts';
import {
  lockDomain,
  lockInformationType,
  markApproved,
  updateDomain,
  updateInformationType,
} from './taxonomy.sql.ts';
import { countTaxonomy, type Drafted, insertDomains, insertInformationTypes } from './taxonomy-drafts.sql.ts';
import type {
  Domain,
  DomainChangeSchema,
  DomainDraftSchema,
  Effect,
  InformationType,
  TypeChangeSchema,
  TypeDraftSchema,
} from './taxonomy-schema.ts';

/** The list of the taxonomy shows as many. */
export const TAXONOMY_LIMITS = { domains: 200, types: 2_000, mappings: 1_000 };

/** The fields of an information type that inference reads. It reads every text of a domain. */
const READ_OF_TYPE: readonly string[] = ['name', 'definition', 'sensitivity', 'indicators'];

type Changed<T> = T & { effect: Effect };

const byHand = ({ principal }: By): Drafted => ({
  origin: 'manual',
  provider: null,
  model: null,
  createdBy: principal.principalId,
});

const nameTaken = (of: string) => new ServiceError('conflict', `${of} already has this name.`);

/** Adds a draft. Throws `conflict` if another domain has the name or the limit is reached. */
export async function draftDomain(tx: Tx, by: By, draft: z.infer<typeof DomainDraftSchema>): Promise<Domain> {
  if ((await countTaxonomy(tx)).domains >= TAXONOMY_LIMITS.domains)
    throw new ServiceError(
      'conflict',
      `There are already ${TAXONOMY_LIMITS.domains} domains. Change one of them.`,
    );
  const id = newId('dom', by.now);
  const added = await insertDomains(tx, [{ id, ...draft }], byHand(by), by.now);
  if (!added.has(id)) throw nameTaken('Another domain');
  audited(by, 'domain_drafted', 'domain', id, {});
  return domainOf(tx, id);
}

/**
 * Adds a draft. Throws `validation_failed`, and `conflict` if another type of the domain has the name or the limit is
 * reached.
 */
export async function draftInformationType(
  tx: Tx,
  by: By,
  draft: z.infer<typeof TypeDraftSchema>,
): Promise<InformationType> {
  await refuseUnknownDetectors(tx, draft.indicators.detectors);
  if ((await countTaxonomy(tx)).types >= TAXONOMY_LIMITS.types)
    throw new ServiceError(
      'conflict',
      `There are already ${TAXONOMY_LIMITS.types} information types. Change one of them.`,
    );
  if ((await lockDomain(tx, draft.domainId)) === null)
    throw validationFailed([{ path: 'domainId', message: 'No such domain.' }]);
  const id = newId('ift', by.now);
  const added = await insertInformationTypes(tx, [{ id, ...draft }], byHand(by), by.now);
  if (!added.has(id)) throw nameTaken('Another information type of the domain');
  audited(by, 'information_type_drafted', 'information_type', id, { domainId: draft.domainId });
  return typeOf(tx, id);
}

/**
 * Changes the given fields. An approved domain stays approved; the audit trail names who changed it. Throws
 * `not_found` and `conflict`.
 */
export async function changeDomain(
  tx: Tx,
  by: By,
  id: string,
  { revision, ...changes }: z.infer<typeof DomainChangeSchema>,
): Promise<Changed<Domain>> {
  const stored = await domainOf(tx, id, revision);
  const fields = fieldsThatDiffer(stored, changes);
  if (fields.length === 0) return { ...stored, effect: 'none' };
  await unlessNameTaken(
    'Another domain',
    'domains_name',
    updateDomain(tx, { ...stored, ...given(changes) }, by.now),
  );
  audited(by, 'domain_changed', 'domain', id, { fields: fields.join('.'), status: stored.status });
  return { ...(await domainOf(tx, id)), effect: effectOf(stored.status === 'approved') };
}

/**
 * Changes the given fields of an information type in the same way. Throws `validation_failed` if an indicator names
 * an unknown detector.
 */
export async function changeInformationType(
  tx: Tx,
  by: By,
  id: string,
  { revision, indicators, ...changes }: z.infer<typeof TypeChangeSchema>,
): Promise<Changed<InformationType>> {
  const stored = await typeOf(tx, id, revision);
  const wanted = {
    ...changes,
    indicators: { ...stored.indicators, ...given(indicators ?? {}) },
  };
  const fields = fieldsThatDiffer(stored, wanted);
  if (fields.length === 0) return { ...stored, effect: 'none' };
  // Checks only newly given detectors, so that a detector that no longer exists does not block other changes.
  if (indicators?.detectors !== undefined) await refuseUnknownDetectors(tx, indicators.detectors);
  await unlessNameTaken(
    'Another information type of the domain',
    'information_types_name',
    updateInformationType(tx, { ...stored, ...given(wanted) }, by.now),
  );
  audited(by, 'information_type_changed', 'information_type', id, {
    fields: fields.join('.'),
    status: stored.status,
  });
  const isRead = stored.status === 'approved' && fields.some((field) => READ_OF_TYPE.includes(field));
  return { ...(await typeOf(tx, id)), effect: effectOf(isRead) };
}

/** Approves a draft. An approved domain stays as it is. Throws `not_found` and `conflict`. */
export async function approveDomain(
  tx: Tx,
  by: By,
  id: string,
  revision: number | undefined,
): Promise<Changed<Domain>> {
  const stored = await domainOf(tx, id);
  if (stored.status === 'approved') return { ...stored, effect: 'none' };
  refuseOther(stored, revision);
  await markApproved(tx, 'domains', id, by.principal.principalId, by.now);
  audited(by, 'domain_approved', 'domain', id, { origin: stored.origin, revision: stored.revision });
  return { ...(await domainOf(tx, id)), effect: 'next_scan' };
}

/** Approves a draft of an information type in the same way. Throws `conflict` if its domain is a draft. */
export async function approveInformationType(
  tx: Tx,
  by: By,
  id: string,
  revision: number | undefined,
): Promise<Changed<InformationType>> {
  const stored = await typeOf(tx, id);
  if (stored.status === 'approved') return { ...stored, effect: 'none' };
  refuseOther(stored, revision);
  await refuseDraftDomain(tx, stored.domainId);
  await markApproved(tx, 'information_types', id, by.principal.principalId, by.now);
  audited(by, 'information_type_approved', 'information_type', id, {
    domainId: stored.domainId,
    origin: stored.origin,
    revision: stored.revision,
  });
  return { ...(await typeOf(tx, id)), effect: 'next_scan' };
}

/** Locks a domain. Throws `conflict` if it is a draft, because a domain is approved before its types and mappings. */
export async function refuseDraftDomain(tx: Tx, domainId: string): Promise<void> {
  if ((await lockDomain(tx, domainId))?.status !== 'approved')
    throw new ServiceError('conflict', 'The domain is a draft. Approve it first.');
}

const effectOf = (isRead: boolean): Effect => (isRead ? 'next_scan' : 'none');

async function domainOf(tx: Tx, id: string, revision?: number): Promise<Domain> {
  const domain = await lockDomain(tx, id);
  if (domain === null) throw notFound();
  refuseOther(domain, revision);
  return domain;
}

async function typeOf(tx: Tx, id: string, revision?: number): Promise<InformationType> {
  const type = await lockInformationType(tx, id);
  if (type === null) throw notFound();
  refuseOther(type, revision);
  return type;
}

/** Throws `conflict` if the caller has read another revision. */
export function refuseOther(stored: { revision: number }, revision: number | undefined): void {
  if (revision !== undefined && revision !== stored.revision)
    throw new ServiceError('conflict', 'It has changed since you read it. Read it again.');
}

const given = <T extends object>(changes: T): { [K in keyof T]-?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]-?: Exclude<T[K], undefined>;
  };

/** Names of the given fields that differ from the stored ones, in their order. */
const fieldsThatDiffer = (stored: object, changes: object): string[] => {
  const now = new Map(Object.entries(stored));
  return Object.entries(changes)
    .filter(
      ([field, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(now.get(field)),
    )
    .map(([field]) => field);
};

async function unlessNameTaken(of: string, constraint: string, update: Promise<unknown>): Promise<void> {
  try {
    await update;
  } catch (error) {
    throw violatedConstraint(error) === constraint ? nameTaken(of) : error;
  }
}

async function refuseUnknownDetectors(tx: Tx, ids: readonly string[]): Promise<void> {
  const known = new Set([
    ...(await builtInDetectors()).map(({ id }) => id),
    ...(await listCustomDetectors(tx, MAX_DETECTORS)).map(({ detectorId }) => detectorId),
  ]);
  if (!ids.every((id) => known.has(id)))
    throw validationFailed([{ path: 'indicators.detectors', message: 'Names an unknown detector.' }]);
}

const audited = (
  { audit }: By,
  type: string,
  kind: string,
  id: string,
  details: Record<string, string | number>,
) => audit({ category: 'governance', type, target: { kind, id }, details });
