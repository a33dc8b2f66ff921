import { type OwnProblem, STAGES, type UnitKind } from '../kernel/vocabulary.ts';
import type { Logger } from '../observability/log.ts';
import { stageFields } from '../observability/span-fields.ts';
import { inTrace } from '../observability/traces.ts';
import { CampaignCancelled, classifyFailure, ownProblem } from './failure.ts';
import type { OwnParts } from './own-parts.ts';
import { type GroupHandler, type UnitHandler, type UnitOutcome, unitFields, type WorkUnit } from './unit.ts';

export type Handlers = Readonly<Partial<Record<UnitKind, UnitHandler | GroupHandler>>>;

type RunParts = { handlers: Handlers; log: Logger; ownParts: Pick<OwnParts, 'handsBack' | 'completed'> };

/** Bound of a group, so that its transaction stays short. */
export const MAX_GROUP = 50;

/**
 * The first of the waiting units, with those of the others that can run in a group with it: first attempts of its kind
 * and campaign, if the kind is run in groups.
 */
export function groupOf(handlers: Handlers, waiting: readonly WorkUnit[]): WorkUnit[] {
  const [first] = waiting;
  if (first === undefined) return [];
  const canJoin = ({ kind, campaignId, attempt }: WorkUnit) =>
    kind === first.kind && campaignId === first.campaignId && attempt === 1;
  const isGrouped = typeof handlers[first.kind] === 'object' && canJoin(first);
  return isGrouped ? waiting.filter(canJoin).slice(0, MAX_GROUP) : [first];
}

/**
 * Runs leased units that `groupOf` put together, and returns the outcome of each attempt. Where the group fails, each
 * unit is run by itself, so that one of them does not fail the others. After a failure of this process, those that are
 * left are handed back. Never rejects.
 */
export async function runUnits(
  parts: RunParts,
  units: readonly WorkUnit[],
  signal: AbortSignal,
): Promise<{ unit: WorkUnit; outcome: UnitOutcome }[]> {
  const group = units.length > 1 ? await runGroup(parts, units, signal) : null;
  let problem: OwnProblem | undefined;
  const ended: { unit: WorkUnit; outcome: UnitOutcome }[] = [];
  for (const [nth, unit] of units.entries()) {
    const outcome = group?.[nth] ?? (problem ? handedBack(problem) : await runUnit(parts, unit, signal));
    if (outcome.kind === 'handed_back') problem ??= outcome.problem;
    logStages(parts.log, unit, outcome);
    ended.push({ unit, outcome });
  }
  return ended;
}

function logStages(log: Logger, unit: WorkUnit, outcome: UnitOutcome): void {
  if (outcome.kind !== 'completed') return;
  for (const stage of STAGES) {
    const of = outcome.stages[stage];
    if (of !== undefined) log.debug('unit_stage', { ...unitFields(unit), stage, outcome: of });
  }
}

const handedBack = (problem: OwnProblem): UnitOutcome => ({ kind: 'handed_back', problem });

/** Null if the group failed. */
function runGroup(
  { handlers, log }: RunParts,
  units: readonly WorkUnit[],
  signal: AbortSignal,
): Promise<UnitOutcome[] | null> {
  const [first] = units;
  const handler = first && handlers[first.kind];
  if (first === undefined || typeof handler !== 'object') return Promise.resolve(null);
  const { kind, campaignId, tenantId } = first;
  return inTrace('unit', { 'svc.unit.kind': kind, 'svc.unit.count': units.length }, async (span) => {
    try {
      const stages = await handler.runGroup(units, signal);
      return stages.map((each) => ({ kind: 'completed', stages: each }));
    } catch (thrown) {
      span.fail();
      if (!signal.aborted) log.warn('work_group_failed', { kind, tenantId, campaignId }, thrown);
      return null;
    }
  });
}

/** Runs the handler of a leased unit and returns the outcome of the attempt. Never rejects. */
function runUnit(parts: RunParts, unit: WorkUnit, signal: AbortSignal): Promise<UnitOutcome> {
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
  { handlers, log, ownParts }: RunParts,
  unit: WorkUnit,
  signal: AbortSignal,
): Promise<UnitOutcome> {
  // The earlier attempts died with their workers, and this one probably would too.
  if (unit.attempt > unit.maxAttempts) return failedAtOnce('corrupt', 'attempts_spent_unreported');
  const handler = handlers[unit.kind];
  if (handler === undefined) return failedAtOnce('unsupported', 'no_handler');
  try {
    const stages =
      typeof handler === 'function'
        ? await handler(unit, signal)
        : (await handler.runGroup([unit], signal))[0];
    ownParts.completed(unit.unitId);
    return { kind: 'completed', stages: stages ?? {} };
  } catch (thrown) {
    // A shutdown or a cancelled campaign ended the attempt, so it does not count against the unit.
    if (signal.aborted || thrown instanceof CampaignCancelled) return { kind: 'handed_back' };
    const { kind, unitId, tenantId, campaignId, attempt } = unit;
    const problem = ownProblem(thrown);
    if (problem !== null && ownParts.handsBack(unitId, thrown)) {
      log.warn('work_handed_back', { kind, unitId, tenantId, campaignId, problem }, thrown);
      return handedBack(problem);
    }
    const failed = classifyFailure(thrown);
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
