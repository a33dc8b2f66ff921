import { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import { type LockedFinding, lockFinding, reopenFinding, storeAcknowledgement } from './acknowledge.sql.ts';
import type { Finding } from './finding-list.sql.ts';
import { FINDING_TRANSITIONS } from './finding-states.ts';

const revision = z.int().min(0).optional();

/** With `revision`, the request is refused if the finding has changed since. A null removes the note. */
export const AcknowledgementSchema = z.strictObject({
  note: z.string().trim().min(1).max(2_000).nullable().optional(),
  revision,
});
export type Acknowledgement = z.infer<typeof AcknowledgementSchema>;

/** With `revision`, the request is refused if the finding has changed since. */
export const TakeBackSchema = z.strictObject({ revision });

type By = { principal: Principal; visibility: Visibility; audit: (entry: AuditEntry) => void };

/**
 * Records that an owner knows of a finding. The finding stays until its cause is fixed. If the same person repeats
 * the request, nothing changes. With the present revision, another note replaces the former one. Throws `not_found`
 * (also for a finding on an asset of other domains) and `conflict`.
 */
export async function acknowledge(
  tx: Tx,
  by: By,
  findingId: string,
  request: Acknowledgement,
  now: number,
): Promise<Finding> {
  const finding = await lockFinding(tx, findingId, by.visibility);
  if (finding === null) throw notFound();
  const { principalId } = by.principal;
  const isOwn = finding.acknowledgedBy === principalId;
  const note = request.note === undefined ? finding.acknowledgeNote : request.note;
  if (isOwn && finding.acknowledgeNote === note) return finding;
  const changesNote = isOwn && request.revision !== undefined;
  const refused = refusal(finding, request.revision, changesNote ? 'change_note' : 'acknowledge');
  if (refused !== null) throw new ServiceError('conflict', refused);
  const stored = await storeAcknowledgement(tx, findingId, { principalId, note, now });
  const type = changesNote ? 'finding_note_changed' : 'finding_acknowledged';
  record(by, type, finding.assetId, stored, { noted: note !== null });
  return stored;
}

/**
 * Takes back an acknowledgement: the finding is reopened. To take back that of a colleague, the caller names the
 * revision that they have read. Throws `not_found` and `conflict`.
 */
export async function takeBack(
  tx: Tx,
  by: By,
  findingId: string,
  request: z.infer<typeof TakeBackSchema>,
  now: number,
): Promise<Finding> {
  const finding = await lockFinding(tx, findingId, by.visibility);
  if (finding === null) throw notFound();
  const refused = refusal(finding, request.revision, 'take_back');
  if (refused !== null) throw new ServiceError('conflict', refused);
  if (finding.acknowledgedBy !== by.principal.principalId && request.revision === undefined)
    throw new ServiceError(
      'conflict',
      'Somebody else has acknowledged it. Read the finding again and name its revision.',
    );
  const stored = await reopenFinding(tx, findingId, now);
  record(by, 'finding_acknowledgement_taken_back', finding.assetId, stored, {});
  return stored;
}

const record = (
  by: By,
  type: string,
  assetId: string,
  { findingId, kind, severity, revision }: Finding,
  more: { noted?: boolean },
): void =>
  by.audit({
    category: 'review',
    type,
    target: { kind: 'finding', id: findingId },
    details: { assetId, kind, severity, revision, ...more },
  });

/** Why a person cannot change the acknowledgement of a finding, or null if they can. */
export function refusal(
  { status, revision }: Pick<LockedFinding, 'status' | 'revision'>,
  expected: number | undefined,
  trigger: 'acknowledge' | 'change_note' | 'take_back' = 'acknowledge',
): string | null {
  if (expected !== undefined && expected !== revision)
    return 'The finding has changed in the meantime. Read it again.';
  const isOpenTo = FINDING_TRANSITIONS.some((each) => each.from === status && each.trigger === trigger);
  if (isOpenTo) return null;
  if (trigger !== 'acknowledge') return `The finding is ${status}.`;
  const more = status === 'acknowledged' ? ' Name its revision to change your note.' : '';
  return `The finding is already ${status}.${more}`;
}
