import type { Transition } from '../kernel/transition.ts';
import type { AttestationState } from './attestation.ts';

export type AssignmentState = AttestationState | 'ended';

/** `asked` and `passed` follow from the passage of time. No process performs these transitions. */
export type AssignmentTrigger =
  | 'assigned'
  | 'assigned_with_period'
  | 'asked'
  | 'passed'
  | 'attested'
  | 'period_changed'
  | 'ended';

const ASKED = ['current', 'due', 'overdue'] as const;

/** The states of an owner assignment. It gives access to the domain until it ends, whatever its attestation. */
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
