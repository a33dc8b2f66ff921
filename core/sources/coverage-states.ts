import type { Transition } from '../kernel/transition.ts';

export type CoverageState = 'baseline' | 'delta' | 'stale';
export type CursorStatus = 'none' | 'valid' | 'resync_required';

/**
 * `cursor_refused`: the source no longer accepts the cursor of the last scan, or there is no cursor. `scope_refused`: the
 * source refuses the whole scope. `scope_ended`: it has done so for long enough to be gone for good.
 */
export type LookTrigger =
  | 'inventory_completed'
  | 'delta_completed'
  | 'cursor_refused'
  | 'scope_refused'
  | 'scope_ended'
  | 'rules_changed';

/** The states of a scope's coverage (specification, "Scan campaign" and "Delta resync"). */
export const COVERAGE_TRANSITIONS: readonly Transition<CoverageState, LookTrigger>[] = [
  { from: null, trigger: 'inventory_completed', to: 'baseline' },
  { from: 'baseline', trigger: 'inventory_completed', to: 'baseline' },
  { from: 'baseline', trigger: 'delta_completed', to: 'delta' },
  { from: 'baseline', trigger: 'cursor_refused', to: 'stale' },
  { from: 'baseline', trigger: 'scope_refused', to: 'stale' },
  { from: 'baseline', trigger: 'rules_changed', to: 'stale' },
  { from: 'delta', trigger: 'inventory_completed', to: 'baseline' },
  { from: 'delta', trigger: 'delta_completed', to: 'delta' },
  { from: 'delta', trigger: 'cursor_refused', to: 'stale' },
  { from: 'delta', trigger: 'scope_refused', to: 'stale' },
  { from: 'delta', trigger: 'rules_changed', to: 'stale' },
  { from: 'stale', trigger: 'inventory_completed', to: 'baseline' },
  { from: 'stale', trigger: 'delta_completed', to: 'delta' },
  { from: 'stale', trigger: 'cursor_refused', to: 'stale' },
  { from: 'stale', trigger: 'scope_refused', to: 'stale' },
  { from: 'stale', trigger: 'rules_changed', to: 'stale' },
];

/** The cursor of a scope whose source has a feed of changes. */
export const CURSOR_TRANSITIONS: readonly Transition<CursorStatus, LookTrigger | 'registered'>[] = [
  { from: null, trigger: 'registered', to: 'none' },
  { from: 'none', trigger: 'inventory_completed', to: 'valid' },
  { from: 'none', trigger: 'cursor_refused', to: 'resync_required' },
  { from: 'none', trigger: 'rules_changed', to: 'none' },
  { from: 'valid', trigger: 'inventory_completed', to: 'valid' },
  { from: 'valid', trigger: 'delta_completed', to: 'valid' },
  { from: 'valid', trigger: 'cursor_refused', to: 'resync_required' },
  { from: 'valid', trigger: 'scope_refused', to: 'valid' },
  { from: 'valid', trigger: 'scope_ended', to: 'resync_required' },
  { from: 'valid', trigger: 'rules_changed', to: 'resync_required' },
  { from: 'resync_required', trigger: 'inventory_completed', to: 'valid' },
  { from: 'resync_required', trigger: 'delta_completed', to: 'valid' },
  { from: 'resync_required', trigger: 'cursor_refused', to: 'resync_required' },
  { from: 'resync_required', trigger: 'rules_changed', to: 'resync_required' },
];
