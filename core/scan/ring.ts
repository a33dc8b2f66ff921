import { bellsFor, ringOrWarn } from '../work/doorbell.ts';
import { LEASE_BATCH } from '../work/lease.sql.ts';
import type { ScanParts } from './scan-parts.ts';

/** Announces units that a handler enqueued. The sweep rings for what this does not announce. */
export async function ring(parts: Pick<ScanParts, 'doorbell' | 'log'>, units: number): Promise<void> {
  const bells = bellsFor(units, LEASE_BATCH);
  if (bells > 0) await ringOrWarn(parts, bells, 0);
}
