import { bellsFor, ringOrWarn } from '../work/doorbell.ts';
import type { ScanParts } from './scan-parts.ts';

/** Rings the doorbell for units that a handler enqueued. If that fails, the sweep rings later. */
export async function ring(
  parts: Pick<ScanParts, 'config' | 'doorbell' | 'log'>,
  units: number,
): Promise<void> {
  const bells = bellsFor(units, parts.config.SVC_WORKER_LEASE_BATCH);
  if (bells > 0) await ringOrWarn(parts, bells, 0);
}
