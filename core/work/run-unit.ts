import type { UnitKind } from '../kernel/vocabulary.ts';
import type { Logger } from '../observability/log.ts';
import { stageFields } from '../observability/span-fields.ts';
import { inTrace } from '../observability/traces.ts';
import { CampaignCancelled, classifyFailure } from './failure.ts';
import type { UnitHandler, UnitOutcome, WorkUnit } from './unit.ts';

export type Handlers = Readonly<Partial<Record<UnitKind, UnitHandler>>>;

/** Runs the handler of a leased unit and returns the outcome of the attempt. Never rejects. */
export function runUnit(
  parts: { handlers: Handlers; log: Logger },
  unit: WorkUnit,
  signal: AbortSignal,
): Promise<UnitOutcome> {
  const { kind, attempt } = unit;
  return inTrace('unit', { 'svc.unit.kind': kind, 'svc.unit.attempt': attempt }, async (span) => {
    const outcome = await attempted(parts, unit, signal);
    span.describe({ 'svc.unit.outcome': outcome.kind });
    if (outcome.kind === 'completed') span.describe(stageFields(outcome.stages));
    if (outcome.kind === 'failed') {
      span.describe({ 'svc.retry_class': outcome.retryClass });
      span.fail();
    }
    return outcome;
  });
}

async function attempted(
  { handlers, log }: { handlers: Handlers; log: Logger },
  unit: WorkUnit,
  signal: AbortSignal,
): Promise<UnitOutcome> {
  // The earlier attempts died with their workers, and this one probably would too.
  if (unit.attempt > unit.maxAttempts) return failedAtOnce('corrupt', 'attempts_spent_unreported');
  const handler = handlers[unit.kind];
  if (handler === undefined) return failedAtOnce('unsupported', 'no_handler');
  try {
    return { kind: 'completed', stages: await handler(unit, signal) };
  } catch (thrown) {
    // A shutdown or a cancelled campaign ended the attempt, so it does not count against the unit.
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
