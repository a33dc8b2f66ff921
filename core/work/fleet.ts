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
 * Under which a process leases: its scanner's id and, after a colon, an id of this start. Units are counted, taken
 * over and withheld by scanner; leases are fenced by start, so that neither a restart under the same id nor a second
 * process that was given it passes for the first.
 */
export const leaseOwnerOf = (scannerId: string, now: number): string => `${scannerId}:${newId('boot', now)}`;

export type FleetParts = {
  db: Db;
  clock: Clock;
  log: Logger;
  scannerId: string;
  /** Of `leaseOwnerOf`. */
  owner: string;
  displayName: string;
  host: string;
  tally: Worker['tally'];
};

/** This process as a member of the fleet. Neither call rejects: what fails is logged, and tried again where it helps. */
export type FleetMember = {
  /** Registers, and heartbeats from then on. */
  join(): Promise<void>;
  /** The last heartbeat was; hands back what is still leased and leaves, so that nobody waits for this process. */
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
    // Forgotten after a week of sleep, or taken out by a process of the same id.
    else await register();
  };
  /** One at a time: a database that hangs gathers no heartbeats. */
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
 * Takes over what offline scanners hold, rings for it, and forgets who has been gone for long. Safe to run anywhere,
 * at any time and twice at once: a holder that lives after all is refused when it settles.
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
