import type { UnitKind } from '../kernel/vocabulary.ts';
import type { Logger } from '../observability/log.ts';
import { CampaignCancelled, classifyFailure } from './failure.ts';
import type { UnitHandler, UnitOutcome, WorkUnit } from './unit.ts';

export type Handlers = Readonly<Partial<Record<UnitKind, UnitHandler>>>;

/** Runs the handler of a leased unit and says how the attempt ended. Never rejects. */
export async function runUnit(
  { handlers, log }: { handlers: Handlers; log: Logger },
  unit: WorkUnit,
  signal: AbortSignal,
): Promise<UnitOutcome> {
  // Its earlier attempts never reported: they died with their worker, and so would this one.
  if (unit.attempt > unit.maxAttempts) return failedAtOnce('corrupt', 'attempts_spent_unreported');
  const handler = handlers[unit.kind];
  if (handler === undefined) return failedAtOnce('unsupported', 'no_handler');
  try {
    return { kind: 'completed', stages: await handler(unit, signal) };
  } catch (thrown) {
    // The shutdown ended it, or would have, or its campaign is over: no reason to count it against the unit.
    if (signal.aborted || thrown instanceof CampaignCancelled) return { kind: 'handed_back' };
    const failed = classifyFailure(thrown);
    const { kind, unitId, tenantId, campaignId, attempt } = unit;
    log.warn(
      'work_failed',
      { kind, unitId, tenantId, campaignId, retryClass: failed.retryClass, attempt },
      thrown,
    );
    return failed;
  }
}

const failedAtOnce = (retryClass: 'corrupt' | 'unsupported', safeDiagnostic: string): UnitOutcome => ({
  kind: 'failed',
  retryClass,
  safeDiagnostic,
  retryAfterMs: null,
});
