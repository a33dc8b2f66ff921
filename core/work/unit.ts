import type { CampaignId, TenantId } from '../kernel/ids.ts';
import type { RetryClass, Stage, StageOutcome, UnitKind } from '../kernel/vocabulary.ts';

export type StageOutcomes = Partial<Record<Stage, StageOutcome>>;

/** A leased unit. `attempt` counts this lease too. */
export type WorkUnit = {
  leaseOwner: string;
  unitId: number;
  tenantId: TenantId;
  campaignId: CampaignId;
  kind: UnitKind;
  payload: unknown;
  attempt: number;
  maxAttempts: number;
  /** Its last holder let the lease run out: it may have been killed by this very unit. */
  orphaned: boolean;
};

/** What became of one attempt. `handed_back`: never begun, or ended by a shutdown, so that it keeps its attempt. */
export type UnitOutcome =
  | { kind: 'handed_back' }
  | { kind: 'completed'; stages: StageOutcomes }
  | { kind: 'failed'; retryClass: RetryClass; safeDiagnostic: string; retryAfterMs: number | null };

/** Runs one attempt of a unit. May throw: the worker classifies what it throws. Must bear being run twice. */
export type UnitHandler = (unit: WorkUnit, signal: AbortSignal) => Promise<StageOutcomes>;
