import type { Transition } from '../kernel/transition.ts';

/** Milliseconds without a heartbeat after which a scanner is stale, and after which it is offline. */
export const STALE_AFTER_MS = 30_000;
export const OFFLINE_AFTER_MS = 90_000;

export const SCANNER_STATUSES = ['active', 'stale', 'offline', 'draining'] as const;
export type ScannerStatus = (typeof SCANNER_STATUSES)[number];

export type ScannerTrigger =
  | 'register'
  | 'heartbeat'
  | 'heartbeat_while_drained'
  | 'drain'
  | 'undrain'
  | 'silent_over_30s'
  | 'silent_over_90s';

/** The facts that determine the status of a scanner. */
export type ScannerPulse = {
  /** Milliseconds. */
  heartbeatAt: number;
  /** Whether it was drained and has not registered since. */
  draining: boolean;
};

/**
 * `offline` takes precedence over `draining`, because the units of a silent scanner are taken over in either case.
 */
export function scannerStatus({ heartbeatAt, draining }: ScannerPulse, now: number): ScannerStatus {
  const silentMs = now - heartbeatAt;
  if (silentMs > OFFLINE_AFTER_MS) return 'offline';
  if (draining) return 'draining';
  return silentMs > STALE_AFTER_MS ? 'stale' : 'active';
}

/**
 * The states of a scanner (specification, "Scanner fleet"). A drained scanner stays so, even without heartbeats,
 * until somebody undrains it or it registers again. It is removed when its process stops normally, or after a week
 * offline.
 */
export const SCANNER_TRANSITIONS: readonly Transition<ScannerStatus, ScannerTrigger>[] = [
  { from: null, trigger: 'register', to: 'active' },
  { from: 'stale', trigger: 'register', to: 'active' },
  { from: 'offline', trigger: 'register', to: 'active' },
  { from: 'draining', trigger: 'register', to: 'active' },
  { from: 'active', trigger: 'silent_over_30s', to: 'stale' },
  { from: 'stale', trigger: 'silent_over_90s', to: 'offline' },
  { from: 'draining', trigger: 'silent_over_90s', to: 'offline' },
  { from: 'stale', trigger: 'heartbeat', to: 'active' },
  { from: 'offline', trigger: 'heartbeat', to: 'active' },
  { from: 'offline', trigger: 'heartbeat_while_drained', to: 'draining' },
  { from: 'active', trigger: 'drain', to: 'draining' },
  { from: 'stale', trigger: 'drain', to: 'draining' },
  { from: 'draining', trigger: 'undrain', to: 'active' },
  { from: 'draining', trigger: 'undrain', to: 'stale' },
];

/** Whether this act is allowed for a scanner. */
export const may = (act: 'drain' | 'undrain', status: ScannerStatus): boolean =>
  SCANNER_TRANSITIONS.some(({ from, trigger }) => from === status && trigger === act);
