import { sql } from '../db/sql.ts';
import type { EngineTx } from '../db/tx.ts';
import { LEASE_MS } from './lease.sql.ts';
import { atMoment, type Moment, sinceMoment } from './moment.sql.ts';
import { LONGEST_ASKED_MS } from './retry-policy.ts';

/** Statements take their time. What is ahead by less is no fault of a clock. */
const GRACE_MS = 60_000;
const AT_ONCE = 1_000;

/**
 * Brings back times that no rule allows, because the clock of the database or of a process ran ahead when they were
 * written: heartbeats in the future, leases that last longer than a lease, units that were never tried and are not due,
 * and retries later than any source may ask for. Returns their number, at most a batch of each.
 */
export async function bringBackTimes(tx: EngineTx, now: Moment): Promise<number> {
  const heartbeats = await tx.execute(sql`
    update scanners set heartbeat_at = ${atMoment(now)} where heartbeat_at > ${sinceMoment(now, GRACE_MS)}`);
  const leases = await tx.execute(sql`
    with ahead as (
      select unit_id from work_units
       where lease_expires_at > ${sinceMoment(now, LEASE_MS + GRACE_MS)}
       order by unit_id limit ${AT_ONCE} for update skip locked
    )
    update work_units u set lease_expires_at = ${sinceMoment(now, LEASE_MS)} from ahead where u.unit_id = ahead.unit_id`);
  const units = await tx.execute(sql`
    with ahead as (
      select u.unit_id from campaigns c cross join lateral (
        select unit_id from work_units
         where tenant_id = c.tenant_id and campaign_id = c.campaign_id and status = 'pending'
           and run_after > ${sinceMoment(now, GRACE_MS)}
           and (attempt = 0 or run_after > ${sinceMoment(now, LONGEST_ASKED_MS + GRACE_MS)})
         order by run_after desc limit ${AT_ONCE} for update skip locked) u
       where c.status in ('pending', 'running', 'paused')
    )
    update work_units u set run_after = ${atMoment(now)} from ahead where u.unit_id = ahead.unit_id`);
  return heartbeats + leases + units;
}
