import type { Transition } from '../kernel/transition.ts';

export type UnitStatus = 'pending' | 'leased' | 'completed' | 'dead' | 'cancelled';

export type UnitTrigger =
  | 'enqueue'
  | 'lease'
  | 'lease_again'
  | 'complete'
  | 'fail_with_attempts_left'
  | 'fail_for_good'
  | 'hand_back'
  | 'take_over'
  | 'cancel'
  | 'cancel_abandoned'
  | 'retry_dead_letter';

/**
 * The states of a work unit (specification, "Work unit"). `lease_again`: the lease expired, and another worker leases
 * the unit. `take_over`: the holder went offline. `cancel_abandoned`: the lease expired in a cancelled campaign.
 */
export const UNIT_TRANSITIONS: readonly Transition<UnitStatus, UnitTrigger>[] = [
  { from: null, trigger: 'enqueue', to: 'pending' },
  { from: 'pending', trigger: 'lease', to: 'leased' },
  { from: 'pending', trigger: 'cancel', to: 'cancelled' },
  { from: 'leased', trigger: 'lease_again', to: 'leased' },
  { from: 'leased', trigger: 'complete', to: 'completed' },
  { from: 'leased', trigger: 'fail_with_attempts_left', to: 'pending' },
  { from: 'leased', trigger: 'fail_for_good', to: 'dead' },
  { from: 'leased', trigger: 'hand_back', to: 'pending' },
  { from: 'leased', trigger: 'take_over', to: 'pending' },
  { from: 'leased', trigger: 'cancel_abandoned', to: 'cancelled' },
  { from: 'dead', trigger: 'retry_dead_letter', to: 'pending' },
];
