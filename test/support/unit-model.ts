import type { CampaignId } from '../../core/kernel/ids.ts';

/** A unit in the model. Times are in milliseconds. */
export type Unit = {
  campaign: number;
  key: string;
  status: 'pending' | 'leased' | 'completed' | 'dead';
  attempt: number;
  maxAttempts: number;
  runAfter: number;
  /** Has no owner after a takeover. The unit is then pending and an orphan. */
  lease: { owner: string | null; until: number } | null;
};
/** A leased unit that its worker has not settled. The lease may have been lost. */
type Held = { owner: string; unitId: number; attempt: number; unit: Unit };
/** The state of the model. */
export type Model = { now: number; units: Unit[]; held: Held[] };

export const newUnit = (campaign: number, key: string, maxAttempts: number, now: number): Unit => ({
  campaign,
  key,
  status: 'pending',
  attempt: 0,
  maxAttempts,
  runAfter: now,
  lease: null,
});

const isSettled = ({ status }: Unit) => status === 'completed' || status === 'dead';
export const hasEnded = ({ units }: Model, campaign: number) =>
  units.every((unit) => unit.campaign !== campaign || isSettled(unit));
export const isDue = (unit: Unit, now: number) =>
  unit.status === 'pending' && unit.lease === null && unit.runAfter <= now;
/** Whether the lease has expired or was taken over. */
export const isOrphan = ({ lease }: Unit, now: number) => lease !== null && lease.until <= now;

/** The expected rows of the units, by campaign and key. */
export function rowsOf({ units }: Model, campaigns: readonly CampaignId[]): object[] {
  const rows = units.map((unit) => ({
    campaign_id: campaigns[unit.campaign],
    logical_key: unit.key,
    status: unit.status,
    attempt: unit.attempt,
    run_after: new Date(unit.runAfter),
    lease_owner: unit.lease?.owner ?? null,
    lease_expires_at: unit.lease === null ? null : new Date(unit.lease.until),
  }));
  const place = (row: (typeof rows)[number]) => `${row.campaign_id} ${row.logical_key}`;
  return rows.sort((a, b) => (place(a) < place(b) ? -1 : 1));
}

export type DrainOutcome = 'works' | 'transient' | 'permanent';

/**
 * The expected unit after a worker has run it with this outcome. A unit without attempts left becomes dead without a
 * run.
 */
export function afterDrain(unit: Unit, outcome: DrainOutcome, now: number): void {
  unit.attempt++;
  unit.lease = null;
  if (outcome === 'works' && unit.attempt <= unit.maxAttempts) unit.status = 'completed';
  else if (outcome === 'transient' && unit.attempt < unit.maxAttempts) {
    unit.status = 'pending';
    unit.runAfter = now + 500 * 2 ** (unit.attempt - 1);
  } else unit.status = 'dead';
}
