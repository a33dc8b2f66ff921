import type { Transition } from '../kernel/transition.ts';

export const RELEASE_STATUSES = [
  'proposed',
  'evaluated',
  'approved',
  'rejected',
  'withdrawn',
  'promoted',
  'superseded',
  'rolled_back',
] as const;
export type ReleaseStatus = (typeof RELEASE_STATUSES)[number];

export const RELEASE_TRIGGERS = [
  'propose',
  'evaluate',
  'approve',
  'reject',
  'withdraw',
  'promote',
  'supersede',
  'restore',
  'rollback',
] as const;
export type ReleaseTrigger = (typeof RELEASE_TRIGGERS)[number];

/**
 * The states of a release (specification, *Model release*). One release at most is promoted. An evaluation voids an
 * earlier approval, because nobody has approved its numbers. Its proposer alone withdraws it. `supersede`: another
 * release was promoted. `restore`: that other release was rolled back.
 */
export const RELEASE_TRANSITIONS: readonly Transition<ReleaseStatus, ReleaseTrigger>[] = [
  { from: null, trigger: 'propose', to: 'proposed' },
  { from: 'proposed', trigger: 'evaluate', to: 'evaluated' },
  { from: 'proposed', trigger: 'reject', to: 'rejected' },
  { from: 'proposed', trigger: 'withdraw', to: 'withdrawn' },
  { from: 'evaluated', trigger: 'evaluate', to: 'evaluated' },
  { from: 'evaluated', trigger: 'approve', to: 'approved' },
  { from: 'evaluated', trigger: 'reject', to: 'rejected' },
  { from: 'evaluated', trigger: 'withdraw', to: 'withdrawn' },
  { from: 'approved', trigger: 'evaluate', to: 'evaluated' },
  { from: 'approved', trigger: 'reject', to: 'rejected' },
  { from: 'approved', trigger: 'withdraw', to: 'withdrawn' },
  { from: 'approved', trigger: 'promote', to: 'promoted' },
  { from: 'promoted', trigger: 'supersede', to: 'superseded' },
  { from: 'promoted', trigger: 'rollback', to: 'rolled_back' },
  { from: 'superseded', trigger: 'restore', to: 'promoted' },
];

/** The status after a trigger, or null if the trigger is not allowed. */
export const nextReleaseState = (from: ReleaseStatus, trigger: ReleaseTrigger): ReleaseStatus | null =>
  RELEASE_TRANSITIONS.find((row) => row.from === from && row.trigger === trigger)?.to ?? null;
