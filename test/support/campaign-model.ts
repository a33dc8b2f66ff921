import type { CampaignAction, CampaignStatus } from '../../core/work/campaign-states.ts';
import type { UnitStatus } from '../../core/work/unit-states.ts';

/** The expected behaviour of campaigns and their units, without a database, SQL or concurrency. */
export type ModelUnit = {
  campaign: ModelCampaign;
  key: string;
  status: UnitStatus;
  attempt: number;
  runAfter: number;
  owner: string | null;
  leaseUntil: number;
};

export type ModelCampaign = {
  id: string;
  /** Campaigns of one lane follow each other: those of a scope, and the rescores. */
  lane: number;
  status: CampaignStatus;
  units: ModelUnit[];
};

export type ModelLetter = { id: string; unit: ModelUnit; retried: boolean };

/** An attempt as its worker remembers it. The lease may have been lost since. */
export type ModelHold = { unit: ModelUnit; unitId: number; owner: string; attempt: number };

export type Model = { now: number; campaigns: ModelCampaign[]; letters: ModelLetter[]; holds: ModelHold[] };

export const emptyModel = (now: number): Model => ({ now, campaigns: [], letters: [], holds: [] });

const isOpen = (unit: ModelUnit) => unit.status === 'pending' || unit.status === 'leased';
const isLeasing = ({ status }: ModelCampaign) => status === 'pending' || status === 'running';
export const isActive = (campaign: ModelCampaign) => isLeasing(campaign) || campaign.status === 'paused';

export const unitsOf = (model: Model) => model.campaigns.flatMap(({ units }) => units);
export const laneIsFree = (model: Model, lane: number) =>
  !model.campaigns.some((campaign) => campaign.lane === lane && isActive(campaign));
export const holdsLease = ({ unit, owner, attempt }: ModelHold) =>
  unit.status === 'leased' && unit.owner === owner && unit.attempt === attempt;

export function addUnit(model: Model, campaign: ModelCampaign, key: string): void {
  if (campaign.units.some((unit) => unit.key === key)) return;
  campaign.units.push({
    campaign,
    key,
    status: 'pending',
    attempt: 0,
    runAfter: model.now,
    owner: null,
    leaseUntil: 0,
  });
}

export const dueUnits = (model: Model) =>
  unitsOf(model).filter(
    (unit) => isLeasing(unit.campaign) && unit.status === 'pending' && unit.runAfter <= model.now,
  );
export const orphans = (model: Model) =>
  unitsOf(model).filter(
    (unit) => isLeasing(unit.campaign) && unit.status === 'leased' && unit.leaseUntil <= model.now,
  );

export function lease(model: Model, unit: ModelUnit, owner: string, leaseMs: number): void {
  unit.status = 'leased';
  unit.owner = owner;
  unit.attempt++;
  unit.leaseUntil = model.now + leaseMs;
  if (unit.campaign.status === 'pending') unit.campaign.status = 'running';
}

export type ModelResult = 'completed' | 'dead' | 'retry' | 'handed_back';

export function settle(model: Model, { unit }: ModelHold, result: ModelResult, delayMs: number): void {
  unit.owner = null;
  unit.status = result === 'completed' || result === 'dead' ? result : 'pending';
  if (result === 'handed_back') unit.attempt--;
  if (result === 'retry') unit.runAfter = model.now + delayMs;
  endIfDone(unit.campaign);
}

/** Performs the action if it is legal. Returns whether it is. */
export function act(campaign: ModelCampaign, action: CampaignAction): boolean {
  const { status } = campaign;
  if (action === 'cancel' ? !isActive(campaign) : status !== (action === 'pause' ? 'running' : 'paused'))
    return false;
  campaign.status = action === 'cancel' ? 'cancelled' : action === 'pause' ? 'paused' : 'running';
  endIfDone(campaign);
  return true;
}

function endIfDone(campaign: ModelCampaign): void {
  if (campaign.status === 'running' && !campaign.units.some(isOpen)) campaign.status = 'completed';
}

/** Makes the unit of a dead letter pending if it may be retried. Returns whether it may. */
export function retry(model: Model, letter: ModelLetter): boolean {
  const { campaign } = letter.unit;
  const followed = model.campaigns
    .slice(model.campaigns.indexOf(campaign) + 1)
    .some(({ lane }) => lane === campaign.lane);
  if (letter.retried || campaign.status === 'cancelled' || (followed && !isActive(campaign))) return false;
  letter.retried = true;
  Object.assign(letter.unit, { status: 'pending', attempt: 0, runAfter: model.now });
  if (campaign.status === 'completed') campaign.status = 'running';
  return true;
}

export function sweep(model: Model): void {
  for (const unit of unitsOf(model).filter(({ campaign }) => campaign.status === 'cancelled')) {
    const isAbandoned = unit.status === 'leased' && unit.leaseUntil <= model.now;
    if (unit.status === 'pending' || isAbandoned) Object.assign(unit, { status: 'cancelled', owner: null });
  }
}

/** The counts that readers see. Pending units of a cancelled campaign count as cancelled. */
export function countsOf(campaign: ModelCampaign): Record<UnitStatus, number> {
  const counts = { pending: 0, leased: 0, completed: 0, dead: 0, cancelled: 0 };
  for (const { status } of campaign.units)
    counts[status === 'pending' && campaign.status === 'cancelled' ? 'cancelled' : status]++;
  return counts;
}
