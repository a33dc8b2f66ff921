import type { Transition } from '../kernel/transition.ts';
import type { AttestationState } from './attestation.ts';

export type AssignmentState = AttestationState | 'ended';

/** `asked`, `passed`: time went by; nothing has to run for it to be true. */
export type AssignmentTrigger =
  | 'assigned'
  | 'assigned_with_period'
  | 'asked'
  | 'passed'
  | 'attested'
  | 'period_changed'
  | 'ended';

const ASKED = ['current', 'due', 'overdue'] as const;

/** An owner's assignment. While it is not ended it gives the domain; whether it was attested changes nothing of that. */
export const ASSIGNMENT_TRANSITIONS: readonly Transition<AssignmentState, AssignmentTrigger>[] = [
  { from: null, trigger: 'assigned', to: 'not_required' },
  { from: null, trigger: 'assigned_with_period', to: 'current' },
  { from: 'not_required', trigger: 'attested', to: 'not_required' },
  { from: 'current', trigger: 'asked', to: 'due' },
  { from: 'due', trigger: 'passed', to: 'overdue' },
  { from: 'current', trigger: 'attested', to: 'current' },
  { from: 'due', trigger: 'attested', to: 'current' },
  { from: 'overdue', trigger: 'attested', to: 'current' },
  ...ASKED.map((to) => ({ from: 'not_required' as const, trigger: 'period_changed' as const, to })),
  ...ASKED.flatMap((from) =>
    (['not_required', ...ASKED] as const).map((to) => ({ from, trigger: 'period_changed' as const, to })),
  ),
  { from: 'not_required', trigger: 'ended', to: 'ended' },
  { from: 'current', trigger: 'ended', to: 'ended' },
  { from: 'due', trigger: 'ended', to: 'ended' },
  { from: 'overdue', trigger: 'ended', to: 'ended' },
];
