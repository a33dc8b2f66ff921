import { PRODUCT_VERSION } from '../controlplane/product-version.ts';
import { type Db, withEngineTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Logger } from '../observability/log.ts';
import { type Doorbell, ringOrWarn } from './doorbell.ts';
import {
  forgetScanners,
  recordHeartbeat,
  registerScanner,
  removeScanner,
  takeOverUnits,
} from './scanners.sql.ts';
import type { Worker } from './worker.ts';

const HEARTBEAT_EVERY_MS = 10_000;
const TAKEN_AT_ONCE = 500;

/**
 * The lease owner of a process: its scanner's id, a colon, and an id of this start. Statistics, takeover and draining
 * go by scanner. Leases go by start, so that neither a restart nor a second process with the same scanner id can use
 * the leases of the first.
 */
export const leaseOwnerOf = (scannerId: string, now: number): string => `${scannerId}:${newId('boot', now)}`;

export type FleetParts = {
  db: Db;
  clock: Clock;
  log: Logger;
  scannerId: string;
  /** The result of `leaseOwnerOf`. */
  owner: string;
  displayName: string;
  host: string;
  tally: Worker['tally'];
};

/**
 * This process as a member of the fleet. Both calls never reject: failures are logged, and heartbeats are repeated.
 */
export type FleetMember = {
  /** Registers the process and starts its heartbeats. */
  join(): Promise<void>;
  /** Stops the heartbeats, hands back leased units and leaves the fleet, so that nobody waits for this process. */
  leave(): Promise<void>;
};

export function createFleetMember(parts: FleetParts): FleetMember {
  const { db, clock, log, scannerId, owner, displayName, host } = parts;
  let told = parts.tally();
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;

  const register = () =>
    withEngineTx(db, (tx) =>
      registerScanner(tx, { scannerId, displayName, host, version: PRODUCT_VERSION }, clock()),
    );
  const heartbeat = async () => {
    const tally = parts.tally();
    const since = { processed: tally.processed - told.processed, failed: tally.failed - told.failed };
    const known = await withEngineTx(db, (tx) => recordHeartbeat(tx, scannerId, since, clock()));
    if (known) told = tally;
    // The scanner was removed: after a week without a heartbeat, or by a process with the same id.
    else await register();
  };
  /** Runs one call at a time, so that calls do not pile up while the database does not respond. */
  const attempt = (act: () => Promise<void>): Promise<void> => {
    underWay ??= act()
      .catch((error: unknown) => log.warn('heartbeat_failed', {}, error))
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  };

  return {
    join: async () => {
      await attempt(register);
      timer ??= setInterval(() => attempt(heartbeat), HEARTBEAT_EVERY_MS);
    },
    leave: async () => {
      clearInterval(timer);
      await underWay;
      await withEngineTx(db, (tx) => removeScanner(tx, scannerId, owner)).catch((error: unknown) =>
        log.warn('heartbeat_failed', {}, error),
      );
    },
  };
}

/**
 * Takes over the units of offline scanners, rings for them, and removes scanners that have long been offline.
 * Concurrent runs are safe: if a former holder is still alive, its settlement is refused.
 */
export async function sweepFleet({
  db,
  clock,
  log,
  doorbell,
}: Pick<FleetParts, 'db' | 'clock' | 'log'> & { doorbell: Doorbell | null }): Promise<void> {
  let count = 0;
  let taken: number;
  do {
    taken = await withEngineTx(db, (tx) => takeOverUnits(tx, TAKEN_AT_ONCE, clock()));
    count += taken;
  } while (taken === TAKEN_AT_ONCE);
  await withEngineTx(db, (tx) => forgetScanners(tx, clock()));
  if (count === 0) return;
  log.warn('units_taken_over', { count });
  await ringOrWarn({ doorbell, log }, 1, 0);
}
