import { PRODUCT_VERSION } from '../controlplane/product-version.ts';
import { type Db, withEngineTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Logger } from '../observability/log.ts';
import { type Doorbell, ringOrWarn } from './doorbell.ts';
import { momentOf } from './moment.sql.ts';
import {
  forgetScanners,
  recordHeartbeat,
  registerScanner,
  removeScanner,
  takeOverUnits,
} from './scanners.sql.ts';
import { bringBackTimes } from './times-ahead.sql.ts';
import type { Worker } from './worker.ts';

const HEARTBEAT_EVERY_MS = 10_000;
const TAKEN_AT_ONCE = 500;
/** Clocks that are further apart are logged. The doctor warns at the same distance. */
const CLOCK_APART_MS = 5_000;

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
  let reported = parts.tally();
  let wasApart = false;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;

  const register = () =>
    withEngineTx(db, (tx) =>
      registerScanner(tx, { scannerId, displayName, host, version: PRODUCT_VERSION }, momentOf(clock)),
    );
  const heartbeat = async () => {
    const tally = parts.tally();
    const since = { processed: tally.processed - reported.processed, failed: tally.failed - reported.failed };
    const databaseMs = await withEngineTx(db, (tx) => recordHeartbeat(tx, scannerId, since, momentOf(clock)));
    if (databaseMs !== null) {
      reported = tally;
      reportClock(databaseMs);
    }
    // The scanner was removed: after a week without a heartbeat, or by a process with the same id.
    else await register();
  };
  /** Leases and retries go by the clock of the database. The rest of the service goes by that of the process. */
  const reportClock = (databaseMs: number) => {
    const apartMs = Math.abs(Date.now() - databaseMs);
    const isApart = apartMs > CLOCK_APART_MS;
    if (isApart && !wasApart) log.warn('clock_apart', { apartMs: Math.round(apartMs) });
    wasApart = isApart;
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
 * Brings back times that a clock ran ahead to, takes over the units of offline scanners, rings for them, and removes
 * scanners that have long been offline.
 * Concurrent runs are safe: if a former holder is still alive, its settlement is refused.
 */
export async function sweepFleet({
  db,
  clock,
  log,
  doorbell,
}: Pick<FleetParts, 'db' | 'clock' | 'log'> & { doorbell: Doorbell | null }): Promise<void> {
  const broughtBack = await withEngineTx(db, (tx) => bringBackTimes(tx, momentOf(clock)));
  if (broughtBack > 0) log.warn('times_brought_back', { count: broughtBack });
  let count = 0;
  let taken: number;
  do {
    taken = await withEngineTx(db, (tx) => takeOverUnits(tx, TAKEN_AT_ONCE, momentOf(clock)));
    count += taken;
  } while (taken === TAKEN_AT_ONCE);
  await withEngineTx(db, (tx) => forgetScanners(tx, momentOf(clock)));
  if (count > 0) log.warn('units_taken_over', { count });
  if (count + broughtBack === 0) return;
  await ringOrWarn({ doorbell, log }, 1, 0);
}
