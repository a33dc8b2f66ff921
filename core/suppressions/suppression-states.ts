import type { Transition } from '../kernel/transition.ts';

export const SUPPRESSION_STATUSES = ['proposed', 'active', 'rejected', 'revoked', 'expired'] as const;
export type SuppressionStatus = (typeof SUPPRESSION_STATUSES)[number];

export type SuppressionTrigger = 'proposed' | 'declared' | 'approved' | 'rejected' | 'revoked' | 'expired';

/**
 * The states of a suppression. An owner declares a rule for a domain of their own. Any other rule is proposed, and
 * another person approves it.
 */
export const SUPPRESSION_TRANSITIONS: readonly Transition<SuppressionStatus, SuppressionTrigger>[] = [
  { from: null, trigger: 'proposed', to: 'proposed' },
  { from: null, trigger: 'declared', to: 'active' },
  { from: 'proposed', trigger: 'approved', to: 'active' },
  { from: 'proposed', trigger: 'rejected', to: 'rejected' },
  { from: 'proposed', trigger: 'revoked', to: 'revoked' },
  { from: 'proposed', trigger: 'expired', to: 'expired' },
  { from: 'active', trigger: 'revoked', to: 'revoked' },
  { from: 'active', trigger: 'expired', to: 'expired' },
];

/** The status after a trigger, or null if the trigger is not allowed. */
export const nextSuppressionState = (
  status: SuppressionStatus | null,
  trigger: SuppressionTrigger,
): SuppressionStatus | null =>
  SUPPRESSION_TRANSITIONS.find((row) => row.from === status && row.trigger === trigger)?.to ?? null;
