import { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import { type LockedFinding, lockFinding, storeAcknowledgement } from './acknowledge.sql.ts';
import type { Finding } from './finding-list.sql.ts';
import { FINDING_TRANSITIONS } from './finding-states.ts';

/** With `revision`, the request is refused if the finding has changed since. */
export const AcknowledgementSchema = z.strictObject({
  note: z.string().trim().min(1).max(2_000).optional(),
  revision: z.int().min(0).optional(),
});
export type Acknowledgement = z.infer<typeof AcknowledgementSchema>;

/**
 * Records that an owner knows of a finding. The finding stays until its cause is fixed. If the same person repeats
 * the request, nothing changes. Throws `not_found` (also for a finding on an asset of other domains) and `conflict`.
 */
export async function acknowledge(
  tx: Tx,
  by: { principal: Principal; visibility: Visibility; audit: (entry: AuditEntry) => void },
  findingId: string,
  request: Acknowledgement,
  now: number,
): Promise<Finding> {
  const finding = await lockFinding(tx, findingId, by.visibility);
  if (finding === null) throw notFound();
  const { principalId } = by.principal;
  const note = request.note ?? null;
  if (finding.acknowledgedBy === principalId && finding.acknowledgeNote === note) return finding;
  const refused = refusal(finding, request.revision);
  if (refused !== null) throw new ServiceError('conflict', refused);
  const stored = await storeAcknowledgement(tx, findingId, { principalId, note, now });
  by.audit({
    category: 'review',
    type: 'finding_acknowledged',
    target: { kind: 'finding', id: findingId },
    details: {
      assetId: finding.assetId,
      kind: stored.kind,
      severity: stored.severity,
      revision: stored.revision,
      noted: note !== null,
    },
  });
  return stored;
}

/** Why a finding cannot be acknowledged, or null if it can. */
export function refusal(
  { status, revision }: Pick<LockedFinding, 'status' | 'revision'>,
  expected: number | undefined,
): string | null {
  if (expected !== undefined && expected !== revision)
    return 'The finding has changed in the meantime. Read it again.';
  const isOpenTo = FINDING_TRANSITIONS.some(
    ({ from, trigger }) => from === status && trigger === 'acknowledge',
  );
  return isOpenTo ? null : `The finding is already ${status}.`;
}
