import { bellsFor } from '../work/doorbell.ts';
import { LEASE_BATCH } from '../work/lease.sql.ts';
import type { ScanParts } from './scan-parts.ts';

/** Announces units that a handler enqueued. The sweep rings for what this does not announce. */
export async function ring(
  { doorbell, log }: Pick<ScanParts, 'doorbell' | 'log'>,
  units: number,
): Promise<void> {
  const bells = bellsFor(units, LEASE_BATCH);
  if (bells > 0)
    await doorbell?.ring(bells, 0).catch((error: unknown) => log.warn('doorbell_failed', {}, error));
}
