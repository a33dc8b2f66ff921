import { appendAudit } from '../audit/append.sql.ts';
import { type AuditDetail, auditText } from '../audit/event.ts';
import { withWalkTx } from '../campaigns/walk-tx.ts';
import { type Connector, DeltaCursorInvalid, ScopeRefused } from '../connectors/connector.ts';
import type { Tx } from '../db/tx.ts';
import { newId, type ScopeId } from '../kernel/ids.ts';
import { beginEnd, ENDED_AT_ONCE, endAssets } from '../sources/end-scope.sql.ts';
import { nextStep } from '../work/retry-policy.ts';
import type { StageOutcomes, UnitHandler, WorkUnit } from '../work/unit.ts';
import { type CampaignScope, scopeOfCampaign } from './inventory.sql.ts';
import { type Recorded, recordRefusal, restoreAccess } from './refused-scope.sql.ts';
import type { ScanParts } from './scan-parts.ts';

/** A scope of which the source has said so long that it does not exist is gone for good. */
export const GONE_AFTER_MS = 7 * 24 * 60 * 60_000;

/**
 * The same handler for a unit whose source may refuse the whole scope. The scope becomes inaccessible when the attempts of
 * the first such unit are spent, and that unit leaves a dead letter. All others complete without one as long as the scope
 * is inaccessible. A scope that is gone for good loses its assets.
 */
export const forRefusableScope =
  (parts: ScanParts, handle: UnitHandler): UnitHandler =>
  async (unit, signal) => {
    try {
      return await handle(unit, signal);
    } catch (error) {
      if (!(error instanceof ScopeRefused)) throw error;
      return outcomeOf(parts, unit, error);
    }
  };

async function outcomeOf(parts: ScanParts, unit: WorkUnit, refused: ScopeRefused): Promise<StageOutcomes> {
  const { retryClass, retryAfterMs, reason } = refused;
  const begins = nextStep(retryClass, unit.attempt, unit.maxAttempts, retryAfterMs).kind === 'dead';
  const found = await withWalkTx(parts.db, unit, async (tx) => {
    const scope = await scopeOfCampaign(tx, unit.campaignId);
    if (scope === null) return null;
    const { scopeId } = scope;
    const at = parts.clock();
    const recorded = await recordRefusal(tx, scopeId, { reason, unitId: unit.unitId, begins }, at);
    if (recorded?.isFirst) await audited(tx, at, 'scope_inaccessible', scopeId, { reason });
    return recorded && { scopeId, ...recorded };
  });
  if (found === null) throw refused;
  if (unit.kind === 'process_asset') {
    if (found.isFirst) throw refused;
    return { observe: 'skipped' };
  }
  if (isGoneForGood(found, parts.clock())) await endScope(parts, unit, found.scopeId);
  if (found.isFirst) throw refused;
  return {};
}

const isGoneForGood = ({ goneSince }: Recorded, now: number): boolean =>
  goneSince !== null && now - goneSince.getTime() >= GONE_AFTER_MS;

/** Ends the assets of a scope, as if each had been deleted. Does nothing if they have ended. */
async function endScope(parts: ScanParts, unit: WorkUnit, scopeId: ScopeId): Promise<void> {
  await withWalkTx(parts.db, unit, (tx) => beginEnd(tx, scopeId, parts.clock()));
  let ended = 0;
  let batch: number;
  do {
    batch = await withWalkTx(parts.db, unit, (tx) => endAssets(tx, scopeId));
    ended += batch;
  } while (batch === ENDED_AT_ONCE);
  if (ended === 0) return;
  await withWalkTx(parts.db, unit, (tx) =>
    audited(tx, parts.clock(), 'scope_ended', scopeId, { assets: ended }),
  );
}

/**
 * Asks for an inaccessible scope before anything is enqueued for it, and notes if the source answers again. Throws
 * `ScopeRefused` as long as it does not.
 * @returns whether the scan goes on: one that nobody selects is asked for, and is not scanned
 */
export async function askAgain(
  parts: ScanParts,
  unit: WorkUnit,
  { scopeId, externalId, isInaccessible, selected }: CampaignScope,
  connector: Connector,
  signal: AbortSignal,
): Promise<boolean> {
  if (!isInaccessible) return true;
  try {
    await connector.listItems(externalId, null, signal);
  } catch (error) {
    if (!(error instanceof DeltaCursorInvalid)) throw error;
  }
  await withWalkTx(parts.db, unit, async (tx) => {
    if (await restoreAccess(tx, scopeId)) await audited(tx, parts.clock(), 'scope_accessible', scopeId);
  });
  return selected;
}

function audited(
  tx: Tx,
  now: number,
  type: 'scope_inaccessible' | 'scope_accessible' | 'scope_ended',
  scopeId: ScopeId,
  details: Readonly<Record<string, AuditDetail>> = {},
): Promise<void> {
  const source = { tenantId: tx.tenantId, principalId: null, correlationId: newId('cor', now), now };
  const target = { kind: 'scope', id: scopeId };
  return appendAudit(tx, [auditText(source, { category: 'scan', type, target, details })]);
}
