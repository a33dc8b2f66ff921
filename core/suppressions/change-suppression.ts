import { withAuditedTx } from '../audit/audited-tx.ts';
import type { AuditEntry } from '../audit/event.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { CampaignOrigin } from '../campaigns/campaigns.sql.ts';
import type { Db, Tx } from '../db/tx.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import { followSuppression } from './follow-suppression.ts';
import type { ShownSuppression } from './suppression-schema.ts';
import { nextSuppressionState } from './suppression-states.ts';
import { findSuppression, markDecided, markEnded, nextVersion } from './suppressions.sql.ts';

/** Who changes a rule, in which request, and the audit of that request. `now` is in milliseconds. */
export type By = {
  principal: Principal;
  audit: (entry: AuditEntry) => void;
  origin: CampaignOrigin;
  now: number;
};

/** Throws `not_found` if there is no such rule, or the reader may not see it. */
export async function shownSuppression(
  tx: Tx,
  visibility: Visibility,
  suppressionId: string,
  { locked } = { locked: false },
): Promise<ShownSuppression> {
  const shown = await findSuppression(tx, visibility, suppressionId, { locked });
  if (shown === null) throw notFound();
  return shown;
}

/**
 * Approves or rejects a proposed rule. The same decision by the same person changes nothing. The person who proposed it
 * is refused, whatever their roles, and that is audited. Throws `not_found` and `conflict`.
 */
export async function decideSuppression(
  { db }: { db: Db },
  { principal, correlationId, now }: { principal: Principal; correlationId: string; now: number },
  suppressionId: string,
  trigger: 'approved' | 'rejected',
): Promise<ShownSuppression> {
  const { tenantId, principalId } = principal;
  const source = { tenantId, principalId, correlationId, now };
  const decided = await withAuditedTx(db, source, async (tx, events) => {
    const audit = events.push.bind(events);
    const rule = await shownSuppression(tx, { kind: 'tenant' }, suppressionId, { locked: true });
    if (rule.proposedBy === principalId) {
      audited({ audit }, 'suppression_self_approval_refused', rule);
      return null;
    }
    const next = nextSuppressionState(rule.status, trigger);
    if (next === null) {
      const wanted = nextSuppressionState('proposed', trigger);
      if (rule.status === wanted && rule.decidedBy === principalId) return rule;
      throw new ServiceError('conflict', `The rule is ${rule.status}.`);
    }
    if (Date.parse(rule.expiresAt) <= now) throw new ServiceError('conflict', 'The rule has expired.');
    const fromVersion = next === 'active' ? await nextVersion(tx) : null;
    await markDecided(tx, suppressionId, { by: principalId, fromVersion }, now);
    const origin = { createdBy: principalId, correlationId };
    if (fromVersion !== null)
      await followSuppression(tx, { suppressionId, version: fromVersion }, origin, now);
    const changed = await shownSuppression(tx, { kind: 'tenant' }, suppressionId);
    audited({ audit }, `suppression_${trigger}`, changed);
    return changed;
  });
  if (decided === null)
    throw new ServiceError(
      'conflict',
      'Separation of duties: a person who proposes a rule cannot decide on it.',
    );
  return decided;
}

/**
 * Ends a rule, or withdraws a proposed one. A revoked rule stays as it is. Throws `not_found`, and `conflict` if it
 * was rejected or has expired.
 */
export async function revokeSuppression(
  tx: Tx,
  by: By,
  visibility: Visibility,
  suppressionId: string,
): Promise<ShownSuppression> {
  const { principal, now } = by;
  const rule = await shownSuppression(tx, visibility, suppressionId, { locked: true });
  if (rule.status === 'revoked') return rule;
  const status = nextSuppressionState(rule.status, 'revoked');
  if (status !== 'revoked') throw new ServiceError('conflict', `The rule is ${rule.status}.`);
  const untilVersion = rule.status === 'active' ? await nextVersion(tx) : null;
  await markEnded(tx, [suppressionId], { status, by: principal.principalId, untilVersion }, now);
  if (untilVersion !== null)
    await followSuppression(tx, { suppressionId, version: untilVersion }, by.origin, now);
  const revoked = await shownSuppression(tx, visibility, suppressionId);
  audited(by, 'suppression_revoked', revoked);
  return revoked;
}

/** Details are ids and words of closed sets: no value, no folder, no reason. */
export const audited = (
  { audit }: Pick<By, 'audit'>,
  type: string,
  { suppressionId: id, kind, detectorId, domainId, scopeId, exampleAssetId }: ShownSuppression,
): void =>
  audit({
    category: 'governance',
    type,
    target: { kind: 'suppression', id },
    details: { kind, detectorId, domainId, scopeId, exampleAssetId },
  });
