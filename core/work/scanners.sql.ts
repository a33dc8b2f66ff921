import { sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import { atMoment, type Moment, sinceMoment } from './moment.sql.ts';
import { may, OFFLINE_AFTER_MS, type ScannerStatus, scannerStatus } from './scanner-states.ts';

/** What a process reports when it registers. */
export type ScannerRegistration = {
  scannerId: string;
  displayName: string;
  host: string;
  /** The release that it runs. */
  version: string;
};

/** A row of the fleet, as the operations overview shows it. */
export type ScannerView = {
  workloadId: string;
  displayName: string;
  host: string;
  capabilities: string[];
  version: string;
  status: ScannerStatus;
  heartbeatAgeMs: number;
  /** Completed units and failed attempts of all processes with this id. */
  processed: number;
  failed: number;
  currentLeases: number;
};

/** Far more than a fleet has. Those with the latest heartbeats come first. */
const MAX_LISTED = 200;
const FORGOTTEN_AFTER_MS = 7 * 24 * 60 * 60 * 1000;

/** The fleet, ordered by the latest heartbeat. */
export async function listScanners(tx: EngineTx, moment: Moment): Promise<ScannerView[]> {
  const rows = await tx.query<{
    scannerId: string;
    displayName: string;
    host: string;
    capabilities: string[];
    version: string;
    draining: boolean;
    heartbeatAt: Date;
    now: Date;
    processed: number;
    failed: number;
    currentLeases: number;
  }>(sql`
    with leases as (
      select split_part(lease_owner, ':', 1) as scanner_id, count(*)::int as count
        from work_units where status = 'leased' and lease_expires_at is not null group by 1
    )
    select s.scanner_id as "scannerId", s.display_name as "displayName", s.host, s.capabilities, s.version,
           s.draining, s.heartbeat_at as "heartbeatAt", ${atMoment(moment)} as now, s.processed,
           s.failed, coalesce(l.count, 0) as "currentLeases"
      from scanners s left join leases l using (scanner_id)
     order by s.heartbeat_at desc, s.scanner_id limit ${MAX_LISTED}`);
  return rows.map((row) => {
    const heartbeatAt = row.heartbeatAt.getTime();
    const now = row.now.getTime();
    return {
      workloadId: row.scannerId,
      displayName: row.displayName,
      host: row.host,
      capabilities: row.capabilities,
      version: row.version,
      status: scannerStatus({ heartbeatAt, draining: row.draining }, now),
      // A time from a clock that ran ahead remains until the next heartbeat or the sweep.
      heartbeatAgeMs: Math.max(0, now - heartbeatAt),
      processed: row.processed,
      failed: row.failed,
      currentLeases: row.currentLeases,
    };
  });
}

/** Registers a scanner. One that is already registered becomes active again, even if it was draining. */
export async function registerScanner(
  tx: EngineTx,
  scanner: ScannerRegistration,
  now: Moment,
): Promise<void> {
  const at = atMoment(now);
  await tx.query(sql`
    insert into scanners (scanner_id, display_name, host, version, started_at, heartbeat_at)
    values (${scanner.scannerId}, ${scanner.displayName}, ${scanner.host}, ${scanner.version}, ${at}, ${at})
    on conflict (scanner_id) do update
       set display_name = excluded.display_name, host = excluded.host, version = excluded.version, draining = false,
           started_at = excluded.started_at, heartbeat_at = excluded.heartbeat_at`);
}

/**
 * Records a heartbeat and the work since the last one. Returns the time of the database, in milliseconds, or null if the
 * scanner is not registered.
 */
export async function recordHeartbeat(
  tx: EngineTx,
  scannerId: string,
  since: { processed: number; failed: number },
  now: Moment,
): Promise<number | null> {
  const [updated] = await tx.query<{ databaseMs: number }>(sql`
    update scanners
       set heartbeat_at = ${atMoment(now)}, processed = processed + ${since.processed}, failed = failed + ${since.failed}
     where scanner_id = ${scannerId}
    returning extract(epoch from clock_timestamp())::float8 * 1000 as "databaseMs"`);
  return updated?.databaseMs ?? null;
}

/**
 * Drains a scanner: it finishes its units and leases no more. Throws `not_found`, and `conflict` if it is offline or
 * already draining.
 */
export async function drainScanner(tx: Tx, scannerId: string, now: Moment): Promise<void> {
  await setDraining(tx, scannerId, 'drain', now);
}

/** Lets a scanner lease again and returns its status. Throws `not_found`, and `conflict` if it is not draining. */
export async function undrainScanner(tx: Tx, scannerId: string, moment: Moment): Promise<'active' | 'stale'> {
  const { heartbeatAt, now } = await setDraining(tx, scannerId, 'undrain', moment);
  return scannerStatus({ heartbeatAt, draining: false }, now) === 'active' ? 'active' : 'stale';
}

/** Returns the time of its last heartbeat, and the present. */
async function setDraining(
  tx: Tx,
  scannerId: string,
  act: 'drain' | 'undrain',
  moment: Moment,
): Promise<{ heartbeatAt: number; now: number }> {
  const [row] = await tx.query<{ heartbeatAt: Date; now: Date; draining: boolean }>(sql`
    select heartbeat_at as "heartbeatAt", ${atMoment(moment)} as now, draining from scanners where scanner_id = ${scannerId} for update`);
  if (row === undefined) throw notFound();
  const heartbeatAt = row.heartbeatAt.getTime();
  const now = row.now.getTime();
  const status = scannerStatus({ heartbeatAt, draining: row.draining }, now);
  if (!may(act, status))
    throw new ServiceError('conflict', `A scanner that is ${status} cannot be ${act}ed.`);
  await tx.query(sql`update scanners set draining = ${act === 'drain'} where scanner_id = ${scannerId}`);
  return { heartbeatAt, now };
}

/** Whether any scanner can lease: one that is neither draining nor offline. */
export async function someoneLeases(tx: Tx, now: Moment): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(sql`
    select exists (select from scanners
                    where not draining and heartbeat_at >= ${sinceMoment(now, -OFFLINE_AFTER_MS)}) as found`);
  return row?.found === true;
}

/**
 * Takes up to `most` units from offline scanners. They become pending without an owner, but keep the end of their
 * lease, so that they are leased one at a time, as orphans. Any of them may have killed its holder, and in an
 * ordinary batch the others would lose an attempt with it. Their attempts stay spent. Returns the number of units.
 */
export function takeOverUnits(tx: EngineTx, most: number, now: Moment): Promise<number> {
  return tx.execute(sql`
    with lost as (
      select u.unit_id from work_units u
       where u.status = 'leased' and u.lease_expires_at is not null
         and exists (select from scanners s where s.scanner_id = split_part(u.lease_owner, ':', 1)
                        and s.heartbeat_at < ${sinceMoment(now, -OFFLINE_AFTER_MS)})
       order by u.unit_id limit ${most}
       for update of u skip locked
    )
    update work_units u set status = 'pending', lease_owner = null, lease_expires_at = ${atMoment(now)}
      from lost where u.unit_id = lost.unit_id`);
}

/**
 * Hands back the units of a process that stops, with their attempts, and removes its scanner. A process with the same
 * id registers it again with its next heartbeat.
 */
export async function removeScanner(tx: EngineTx, scannerId: string, owner: string): Promise<void> {
  await tx.query(sql`
    update work_units set status = 'pending', lease_owner = null, lease_expires_at = null, attempt = attempt - 1
     where status = 'leased' and lease_expires_at is not null and lease_owner = ${owner}`);
  await tx.query(sql`delete from scanners where scanner_id = ${scannerId}`);
}

/** Removes scanners that have been silent for a week and hold no units. */
export async function forgetScanners(tx: EngineTx, now: Moment): Promise<void> {
  await tx.query(sql`
    delete from scanners s
     where s.heartbeat_at < ${sinceMoment(now, -FORGOTTEN_AFTER_MS)}
       and not exists (select from work_units u
                        where u.status = 'leased' and u.lease_expires_at is not null
                          and split_part(u.lease_owner, ':', 1) = s.scanner_id)`);
}
