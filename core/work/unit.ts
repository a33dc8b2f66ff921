import type { CampaignId, TenantId } from '../kernel/ids.ts';
import type {
  OwnProblem,
  RetryClass,
  ScanLeftOut,
  Stage,
  StageOutcome,
  UnitKind,
} from '../kernel/vocabulary.ts';

export type StageOutcomes = Partial<Record<Stage, StageOutcome>>;

/** Items that the listing of a unit leaves out, for one reason. `ruleId`: of the reason `rule`, else null. */
export type LeftOutCount = { reason: ScanLeftOut; ruleId: string | null; items: number };

/**
 * What an attempt has asked of its source so far: calls of the connector, and bytes of content. `leftOut`: what its listing
 * leaves out, which counts only if the attempt completes.
 */
export type UnitUse = { calls: number; bytesRead: number; leftOut: LeftOutCount[] };

export const nothingUsed = (): UnitUse => ({ calls: 0, bytesRead: 0, leftOut: [] });

/** A leased unit. `attempt` includes this lease. */
export type WorkUnit = {
  leaseOwner: string;
  unitId: number;
  tenantId: TenantId;
  campaignId: CampaignId;
  kind: UnitKind;
  payload: unknown;
  attempt: number;
  maxAttempts: number;
  /** Handlers add to it, and it is counted with the settlement, also of an attempt that failed. */
  readonly use: UnitUse;
  /** Whether its last holder let the lease expire. The unit itself may have killed that process. */
  orphaned: boolean;
};

/** What log lines say of a unit. */
export const unitFields = ({ kind, unitId, tenantId, campaignId, attempt }: WorkUnit) => ({
  kind,
  unitId,
  tenantId,
  campaignId,
  attempt,
});

/**
 * The outcome of an attempt. `handed_back`: it was never begun, or a shutdown or a failing part of this process ended
 * it, so the attempt does not count.
 */
export type UnitOutcome =
  | { kind: 'handed_back'; problem?: OwnProblem }
  | { kind: 'completed'; stages: StageOutcomes }
  | { kind: 'failed'; retryClass: RetryClass; safeDiagnostic: string; retryAfterMs: number | null };

/** Runs one attempt of a unit. It may throw; the worker classifies the error. It must be safe to run twice. */
export type UnitHandler = (unit: WorkUnit, signal: AbortSignal) => Promise<StageOutcomes>;

/**
 * Runs one attempt of each of several units of one kind and campaign, and returns their outcomes in order. If it throws,
 * it has done nothing, and each unit is run by itself.
 */
export type GroupHandler = {
  runGroup(units: readonly WorkUnit[], signal: AbortSignal): Promise<StageOutcomes[]>;
};
