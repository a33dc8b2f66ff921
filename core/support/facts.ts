import type { Config } from '../config/config.ts';
import type { Tx } from '../db/tx.ts';
import { clockState } from '../licensing/effective-time.ts';
import { currentLicense } from '../licensing/license.ts';
import { oldestPendingSince, queueCounts } from '../operations/counts.sql.ts';
import type { ScannerView } from '../work/scanners.sql.ts';
import type { TelemetryFacts } from './payload.ts';
import { scanFacts, telemetryChoice } from './telemetry.sql.ts';

/** Reads what telemetry of the tenant is made of. */
export async function telemetryFacts(
  tx: Tx,
  config: Config,
  fleet: readonly ScannerView[],
  now: number,
): Promise<TelemetryFacts> {
  const { deployment } = await telemetryChoice(tx);
  const { state, clock, effectiveTime, usage, entitled } = await currentLicense(tx, { config }, now);
  const queue = await queueCounts(tx);
  const { staleScopes, lastCompletedAt } = await scanFacts(tx);
  const lost = fleet.filter(({ status }) => status === 'offline').length;
  return {
    deployment,
    license: {
      state,
      clock: clockState(clock),
      effectiveTime,
      usage,
      terms: typeof entitled === 'string' ? null : entitled,
    },
    scanners: fleet.length - lost,
    scannersLost: lost,
    pendingUnits: queue.pending,
    oldestPendingSince: await oldestPendingSince(tx),
    deadUnits: queue.dead,
    staleScopes,
    lastCompletedAt: lastCompletedAt?.getTime() ?? null,
  };
}
