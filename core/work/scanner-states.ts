import type { Transition } from '../kernel/transition.ts';

/** Without a heartbeat for longer than this a scanner is stale, and for longer than that offline. Milliseconds. */
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

/** What is known of a scanner that its status follows from. */
export type ScannerPulse = {
  /** Milliseconds. */
  heartbeatAt: number;
  /** Somebody drained it, and it has not registered since. */
  draining: boolean;
};

/** Offline comes before draining: what a silent process holds is taken from it, drained or not. */
export function scannerStatus({ heartbeatAt, draining }: ScannerPulse, now: number): ScannerStatus {
  const silentMs = now - heartbeatAt;
  if (silentMs > OFFLINE_AFTER_MS) return 'offline';
  if (draining) return 'draining';
  return silentMs > STALE_AFTER_MS ? 'stale' : 'active';
}

/**
 * The life of a scanner (specification, "Scanner fleet"). One that was drained stays so, through silence too, until
 * somebody undrains it or it registers anew. It ends when its process ends in order, or after a week offline.
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

/** Whether somebody may do that to a scanner. */
export const may = (act: 'drain' | 'undrain', status: ScannerStatus): boolean =>
  SCANNER_TRANSITIONS.some(({ from, trigger }) => from === status && trigger === act);
