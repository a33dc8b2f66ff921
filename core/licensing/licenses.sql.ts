import { type Statement, sql } from '../db/sql.ts';
import { type Db, type EngineTx, type Tx, withEngineTx } from '../db/tx.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { KeptClock } from './effective-time.ts';
import type { RenewalFailure } from './renewal-failures.ts';
import type { Terms } from './terms.ts';

/** The license of a tenant as it is stored. Times are in milliseconds. */
export type KeptLicense = {
  /** Null once it was deactivated. */
  entitlement: string | null;
  entitlementId: string;
  issuedAt: number;
  activatedAt: number;
  renewedAt: number | null;
  renewalAttemptedAt: number | null;
  renewalFailures: number;
  renewalFailure: RenewalFailure | null;
  clock: KeptClock;
  challenge: string;
  challengeAt: number;
  skippedScans: number;
  skippedAt: number | null;
};

type Row = Omit<KeptLicense, 'clock'> & { mark: number; seen: number; aheadSince: number | null };

const milliseconds = (column: Statement) => sql`round(extract(epoch from ${column}) * 1000)::float8`;

const COLUMNS = sql`
  entitlement, entitlement_id as "entitlementId", ${milliseconds(sql`issued_at`)} as "issuedAt",
  ${milliseconds(sql`activated_at`)} as "activatedAt", ${milliseconds(sql`renewed_at`)} as "renewedAt",
  ${milliseconds(sql`renewal_attempted_at`)} as "renewalAttemptedAt", renewal_failures as "renewalFailures",
  renewal_failure as "renewalFailure", ${milliseconds(sql`clock_mark`)} as mark, ${milliseconds(sql`clock_seen`)} as seen,
  ${milliseconds(sql`clock_ahead_since`)} as "aheadSince", challenge, ${milliseconds(sql`challenge_at`)} as "challengeAt",
  skipped_scans::float8 as "skippedScans", ${milliseconds(sql`skipped_at`)} as "skippedAt"`;

const toLicense = (row: Row | undefined): KeptLicense | null => {
  if (row === undefined) return null;
  const { mark, seen, aheadSince, ...license } = row;
  return { ...license, clock: { mark, seen, aheadSince } };
};

export const findLicense = async (tx: Tx): Promise<KeptLicense | null> =>
  toLicense((await tx.query<Row>(sql`select ${COLUMNS} from licenses where tenant_id = ${tx.tenantId}`))[0]);

/** Locks the license until the end of the transaction. */
export const lockLicense = async (tx: Tx): Promise<KeptLicense | null> =>
  toLicense(
    (
      await tx.query<Row>(sql`select ${COLUMNS} from licenses where tenant_id = ${tx.tenantId} for update`)
    )[0],
  );

const date = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds));

export const storeClock = (tx: Tx, { mark, seen, aheadSince }: KeptClock): Promise<number> =>
  tx.execute(sql`
    update licenses set clock_mark = ${date(mark)}, clock_seen = ${date(seen)}, clock_ahead_since = ${date(aheadSince)}
     where tenant_id = ${tx.tenantId}`);

export const storeChallenge = (tx: Tx, challenge: string, at: number): Promise<number> =>
  tx.execute(sql`
    update licenses set challenge = ${challenge}, challenge_at = ${date(at)} where tenant_id = ${tx.tenantId}`);

/**
 * Puts a token in force. Returns 0 if the kept one was issued later. A renewal keeps the time of the activation.
 */
export function storeEntitlement(
  tx: Tx,
  token: string,
  terms: Terms,
  kept: { clock: KeptClock; challenge: string; now: number; isRenewal: boolean },
): Promise<number> {
  const { clock, challenge, isRenewal } = kept;
  const now = date(kept.now);
  return tx.execute(sql`
    insert into licenses (tenant_id, entitlement, entitlement_id, issued_at, activated_at, clock_mark, clock_seen,
                          clock_ahead_since, challenge, challenge_at)
    values (${tx.tenantId}, ${token}, ${terms.entitlementId}, ${date(terms.issuedAt)}, ${now}, ${date(clock.mark)},
            ${date(clock.seen)}, ${date(clock.aheadSince)}, ${challenge}, ${date(clock.mark)})
    on conflict (tenant_id) do update
      set entitlement = excluded.entitlement, entitlement_id = excluded.entitlement_id,
          issued_at = excluded.issued_at, deactivated_at = null,
          activated_at = case when ${isRenewal} then licenses.activated_at else excluded.activated_at end,
          renewed_at = case when ${isRenewal} then excluded.activated_at end,
          renewal_attempted_at = null, renewal_failures = 0, renewal_failure = null,
          clock_mark = excluded.clock_mark, clock_seen = excluded.clock_seen,
          clock_ahead_since = excluded.clock_ahead_since,
          challenge = excluded.challenge, challenge_at = excluded.challenge_at,
          skipped_scans = 0, skipped_at = null
      where licenses.issued_at <= excluded.issued_at`);
}

/** Removes the token. The mark stays. */
export const removeEntitlement = (tx: Tx, now: number): Promise<number> =>
  tx.execute(sql`
    update licenses set entitlement = null, deactivated_at = ${date(now)}
     where tenant_id = ${tx.tenantId} and entitlement is not null`);

/** Notes that a renewal begins, so that no other process asks for the same one. */
export const noteRenewalAttempt = (tx: Tx, at: number): Promise<number> =>
  tx.execute(sql`update licenses set renewal_attempted_at = ${date(at)} where tenant_id = ${tx.tenantId}`);

/** A renewal that a person asked for notes no attempt before. Returns 0 if the license was replaced or deactivated meanwhile. */
export const noteRenewalFailure = (tx: Tx, entitlementId: string, failure: RenewalFailure): Promise<number> =>
  tx.execute(sql`
    update licenses
       set renewal_failures = renewal_failures + 1, renewal_failure = ${failure},
           renewal_attempted_at = greatest(renewal_attempted_at, clock_mark)
     where tenant_id = ${tx.tenantId} and entitlement_id = ${entitlementId} and entitlement is not null`);

/** Counts a delta that the license did not let start. */
export const noteSkippedScan = (tx: Tx, now: number): Promise<number> =>
  tx.execute(sql`
    update licenses set skipped_scans = skipped_scans + 1, skipped_at = ${date(now)}
     where tenant_id = ${tx.tenantId}`);

/** Tenants that have, or had, a license, in order. */
export async function licensedTenants(db: Db, signal: AbortSignal): Promise<TenantId[]> {
  const read = (tx: EngineTx) =>
    tx.query<{ tenantId: TenantId }>(sql`select tenant_id as "tenantId" from licenses order by 1`);
  return (await withEngineTx(db, read, signal)).map(({ tenantId }) => tenantId);
}
