import { withAuditedTx } from '../audit/audited-tx.ts';
import type { AuditEntry } from '../audit/event.ts';
import { forEachTenant } from '../authz/for-each-tenant.ts';
import type { Config } from '../config/config.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import type { Logger } from '../observability/log.ts';
import { EntitlementOutdated, obtainEntitlement, putInForce, type Verified } from './activate.ts';
import { ActivationServiceFailed } from './activation-client.ts';
import { isFresh, newChallenge } from './challenge.ts';
import { observeClock } from './effective-time.ts';
import { entitledBy } from './license.ts';
import {
  findLicense,
  licensedTenants,
  lockLicense,
  noteRenewalAttempt,
  noteRenewalFailure,
  storeChallenge,
  storeClock,
} from './licenses.sql.ts';
import type { RenewalFailure } from './renewal-failures.ts';
import { isRenewalDue } from './renewal-schedule.ts';
import { auditTimes } from './usage.sql.ts';

export type RenewalParts = { config: Config; db: Db; clock: Clock; log: Logger; stopping: AbortSignal };

/** The entitlement that a renewal replaces. */
type InForce = { entitlementId: string; entitlement: string };

/** What the activation service answered for the entitlement in force. */
export type Obtained = { entitlementId: string } & ({ verified: Verified } | { failure: RenewalFailure });

/**
 * Of every tenant with a license: advances the effective time, and renews the license if that is due and an activation
 * service is configured. Concurrent and repeated runs are safe.
 */
export async function renewLicenses(parts: RenewalParts): Promise<void> {
  const { db, stopping } = parts;
  await forEachTenant(await licensedTenants(db, stopping), stopping, (tenantId) =>
    renewLicense(parts, tenantId),
  );
}

async function renewLicense(parts: RenewalParts, tenantId: TenantId): Promise<void> {
  const { db, clock, config, log } = parts;
  const correlationId = newId('cor', clock());
  const source = () => ({ tenantId, principalId: null, correlationId, now: clock() });
  const { due, audited } = await withAuditedTx(db, source(), (tx, events) =>
    advance(tx, config, clock(), events).then((inForce) => ({ due: inForce, audited: [...events] })),
  );
  if (audited.length > 0) log.warn('license_clock_changed', { tenantId, correlationId });
  const address = config.SVC_LICENSE_SERVICE_URL;
  if (due === null || address === undefined) return;
  const obtained = await obtainRenewal(parts, address, tenantId, due);
  const failure = await withAuditedTx(db, source(), (tx, events) =>
    settleRenewal(tx, obtained, clock(), (entry) => events.push(entry)),
  );
  logRenewal(log, failure, { tenantId, correlationId });
}

/** Logs how a renewal ended. Its reason is in the audit trail and in the status. */
export const logRenewal = (
  log: Logger,
  failure: RenewalFailure | null,
  of: { tenantId: TenantId; correlationId: string },
): void => (failure === null ? log.info('license_renewed', of) : log.warn('license_renewal_failed', of));

/**
 * Advances the effective time of the tenant. Returns the entitlement if it is to be renewed now, and notes the attempt,
 * so that another process does not ask for it too.
 */
async function advance(tx: Tx, config: Config, now: number, events: AuditEntry[]): Promise<InForce | null> {
  const kept = await lockLicense(tx);
  if (kept === null) return null;
  const evidence = { system: now, ...(await auditTimes(tx)), issuedAt: kept.issuedAt };
  const { clock, change } = observeClock(kept.clock, evidence);
  await storeClock(tx, clock);
  if (!isFresh(kept, clock.mark)) await storeChallenge(tx, newChallenge(), clock.mark);
  if (change !== null) {
    const minutes = Math.round((now - clock.mark) / 60_000);
    events.push({ category: 'config', type: 'license_clock_changed', details: { change, minutes } });
  }
  const { entitled } = await entitledBy(tx, config, kept);
  if (typeof entitled === 'string' || kept.entitlement === null) return null;
  const attempt =
    kept.renewalAttemptedAt === null ? null : { at: kept.renewalAttemptedAt, failures: kept.renewalFailures };
  if (config.SVC_LICENSE_SERVICE_URL === undefined || !isRenewalDue(entitled, clock.mark, attempt))
    return null;
  await noteRenewalAttempt(tx, clock.mark);
  return { entitlementId: kept.entitlementId, entitlement: kept.entitlement };
}

/** Asks for a renewal of the tenant's entitlement at once. Throws `conflict` where there is none. */
export async function obtainRenewalNow(
  parts: RenewalParts,
  address: string,
  tenantId: TenantId,
): Promise<Obtained> {
  const kept = await withTx(parts.db, { tenantId, mode: 'read' }, findLicense);
  if (kept === null || kept.entitlement === null)
    throw new ServiceError('conflict', 'No license is activated.');
  const { entitlementId, entitlement } = kept;
  return obtainRenewal(parts, address, tenantId, { entitlementId, entitlement });
}

async function obtainRenewal(
  parts: RenewalParts,
  address: string,
  tenantId: TenantId,
  { entitlementId, entitlement }: InForce,
): Promise<Obtained> {
  try {
    return { entitlementId, verified: await obtainEntitlement(parts, address, tenantId, { entitlement }) };
  } catch (error) {
    if (error instanceof ActivationServiceFailed) return { entitlementId, failure: error.reason };
    throw error;
  }
}

/** Stores a renewal, or notes that it failed. Returns why it failed, or null. */
export async function settleRenewal(
  tx: Tx,
  obtained: Obtained,
  now: number,
  audit: (entry: AuditEntry) => void,
): Promise<RenewalFailure | null> {
  const { entitlementId } = obtained;
  const failure = 'failure' in obtained ? obtained.failure : await stored(tx, obtained, now, audit);
  if (failure === null) return null;
  await noteRenewalFailure(tx, entitlementId, failure);
  audit({
    category: 'config',
    type: 'license_renewal_failed',
    target: { kind: 'entitlement', id: entitlementId },
    details: { reason: failure },
  });
  return failure;
}

/** A license that was replaced or deactivated meanwhile is left as it is. */
async function stored(
  tx: Tx,
  { entitlementId, verified }: Extract<Obtained, { verified: Verified }>,
  now: number,
  audit: (entry: AuditEntry) => void,
): Promise<RenewalFailure | null> {
  const kept = await lockLicense(tx);
  if (kept?.entitlement == null || kept.entitlementId !== entitlementId) return 'outdated';
  try {
    for (const entry of await putInForce(tx, verified, 'renewal', now)) audit(entry);
    return null;
  } catch (error) {
    if (error instanceof EntitlementOutdated) return 'outdated';
    throw error;
  }
}
