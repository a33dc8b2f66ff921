import type { Transition } from '../kernel/transition.ts';
import type { ActionStatus } from '../kernel/vocabulary.ts';

export const ACTION_TRIGGERS = [
  'drafted',
  'blocked',
  'repreviewed',
  'submitted',
  'approved',
  'rejected',
  'withdrawn',
  'cancelled',
  'claimed',
  'awaited',
  'postponed',
  'verified',
  'failed',
  'drifted',
] as const;
export type ActionTrigger = (typeof ACTION_TRIGGERS)[number];

/**
 * The states of an action (specification, table *Action*). A preview, whether the first or a new one, leads to
 * `draft`, or to `blocked` if the label cannot be written. A new preview voids every earlier approval, so the action
 * must be submitted and approved again. `claimed` leads from `executing` to itself when another process takes over an
 * expired lease, or looks whether the source has finished. `awaited` leads to itself because the source has accepted the
 * write and goes on with it: such an action can no longer be cancelled.
 */
export const ACTION_TRANSITIONS: readonly Transition<ActionStatus, ActionTrigger>[] = [
  { from: null, trigger: 'drafted', to: 'draft' },
  { from: null, trigger: 'blocked', to: 'blocked' },
  { from: 'draft', trigger: 'repreviewed', to: 'draft' },
  { from: 'draft', trigger: 'blocked', to: 'blocked' },
  { from: 'draft', trigger: 'submitted', to: 'awaiting_approval' },
  { from: 'draft', trigger: 'withdrawn', to: 'cancelled' },
  { from: 'draft', trigger: 'cancelled', to: 'cancelled' },
  { from: 'blocked', trigger: 'repreviewed', to: 'draft' },
  { from: 'blocked', trigger: 'blocked', to: 'blocked' },
  { from: 'blocked', trigger: 'withdrawn', to: 'cancelled' },
  { from: 'blocked', trigger: 'cancelled', to: 'cancelled' },
  { from: 'awaiting_approval', trigger: 'approved', to: 'approved' },
  { from: 'awaiting_approval', trigger: 'rejected', to: 'rejected' },
  { from: 'awaiting_approval', trigger: 'withdrawn', to: 'cancelled' },
  { from: 'awaiting_approval', trigger: 'cancelled', to: 'cancelled' },
  { from: 'approved', trigger: 'claimed', to: 'executing' },
  { from: 'approved', trigger: 'cancelled', to: 'cancelled' },
  { from: 'executing', trigger: 'claimed', to: 'executing' },
  { from: 'executing', trigger: 'awaited', to: 'executing' },
  { from: 'executing', trigger: 'postponed', to: 'approved' },
  { from: 'executing', trigger: 'verified', to: 'verified' },
  { from: 'executing', trigger: 'failed', to: 'failed' },
  { from: 'executing', trigger: 'drifted', to: 'drifted' },
  { from: 'drifted', trigger: 'repreviewed', to: 'draft' },
  { from: 'drifted', trigger: 'blocked', to: 'blocked' },
  { from: 'drifted', trigger: 'withdrawn', to: 'cancelled' },
  { from: 'drifted', trigger: 'cancelled', to: 'cancelled' },
  { from: 'failed', trigger: 'repreviewed', to: 'draft' },
  { from: 'failed', trigger: 'blocked', to: 'blocked' },
  { from: 'failed', trigger: 'withdrawn', to: 'cancelled' },
  { from: 'failed', trigger: 'cancelled', to: 'cancelled' },
];

/**
 * The status after a trigger, or null if the trigger is not allowed. `status` null: the action does not exist yet.
 */
export const nextActionState = (status: ActionStatus | null, trigger: ActionTrigger): ActionStatus | null =>
  ACTION_TRANSITIONS.find((row) => row.from === status && row.trigger === trigger)?.to ?? null;

/**
 * Triggers of authors. Nobody who caused one of them on an action may decide on that action. The database has the
 * same list.
 */
export const AUTHORING_TRIGGERS = [
  'drafted',
  'blocked',
  'submitted',
  'repreviewed',
] as const satisfies ActionTrigger[];
