import type { Transition } from '../kernel/transition.ts';

export const CAMPAIGN_STATUSES = ['pending', 'running', 'paused', 'completed', 'cancelled'] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

/** The actions of people on a campaign. */
export const CAMPAIGN_ACTIONS = ['pause', 'resume', 'cancel'] as const;
export type CampaignAction = (typeof CAMPAIGN_ACTIONS)[number];

export type CampaignTrigger =
  | CampaignAction
  | 'start'
  | 'start_without_units'
  | 'first_lease'
  | 'nothing_left'
  | 'resume_with_nothing_left'
  | 'retry_dead_letter';

/**
 * The states of a campaign (specification, "Scan campaign"). `nothing_left`: the last unit was settled.
 * `retry_dead_letter`: a completed campaign runs again.
 */
export const CAMPAIGN_TRANSITIONS: readonly Transition<CampaignStatus, CampaignTrigger>[] = [
  { from: null, trigger: 'start', to: 'pending' },
  { from: null, trigger: 'start_without_units', to: 'completed' },
  { from: 'pending', trigger: 'first_lease', to: 'running' },
  { from: 'pending', trigger: 'cancel', to: 'cancelled' },
  { from: 'running', trigger: 'pause', to: 'paused' },
  { from: 'running', trigger: 'nothing_left', to: 'completed' },
  { from: 'running', trigger: 'cancel', to: 'cancelled' },
  { from: 'paused', trigger: 'resume', to: 'running' },
  { from: 'paused', trigger: 'resume_with_nothing_left', to: 'completed' },
  { from: 'paused', trigger: 'cancel', to: 'cancelled' },
  { from: 'completed', trigger: 'retry_dead_letter', to: 'running' },
];

/** The state after a trigger, or null if the trigger is not allowed. */
export const nextCampaignState = (from: CampaignStatus, trigger: CampaignTrigger): CampaignStatus | null =>
  CAMPAIGN_TRANSITIONS.find((row) => row.from === from && row.trigger === trigger)?.to ?? null;
