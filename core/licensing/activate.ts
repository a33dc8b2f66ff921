import type { AuditEntry } from '../audit/event.ts';
import type { Config } from '../config/config.ts';
import type { Tx } from '../db/tx.ts';
import { ServiceError, validationFailed } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { ActivationServiceFailed, askActivationService } from './activation-client.ts';
import { isFresh, newChallenge } from './challenge.ts';
import { anchoredClock, type KeptClock, observeClock, TOLERANCE_MS } from './effective-time.ts';
import {
  type EntitlementRefusal,
  EntitlementRefused,
  trustedKeys,
  verifyEntitlementOf,
} from './entitlement.ts';
import { licenseState } from './license-state.ts';
import { type KeptLicense, lockLicense, removeEntitlement, storeEntitlement } from './licenses.sql.ts';
import type { Terms } from './terms.ts';
import { auditTimes } from './usage.sql.ts';

/** A token that was verified. `challenge`: what the service sent and the token repeats; null if it came from a person. */
export type Verified = { token: string; terms: Terms; challenge: string | null };

/** How a token came. */
export type Origin = 'token' | 'online' | 'renewal';

/** A token that has ended, or that was issued before the one in force. */
export class EntitlementOutdated extends Error {
  override readonly name = 'EntitlementOutdated';
}

/** Puts a verified token in force and returns what is to be audited. Throws `EntitlementOutdated`. */
export async function putInForce(
  tx: Tx,
  { token, terms, challenge }: Verified,
  origin: Origin,
  now: number,
): Promise<AuditEntry[]> {
  const kept = await lockLicense(tx);
  const isProof = terms.challenge !== null && terms.challenge === (challenge ?? answerable(kept));
  const clock = isProof
    ? observeClock(anchoredClock(terms.issuedAt, now), {
        system: now,
        issuedAt: terms.issuedAt,
        lastAuditEvent: null,
        lastCheckpoint: null,
      }).clock
    : observeClock(kept?.clock ?? null, {
        system: now,
        issuedAt: terms.issuedAt,
        ...(await auditTimes(tx)),
      }).clock;
  if (licenseState(terms, clock.mark) !== 'active') throw new EntitlementOutdated();
  const isRenewal = origin === 'renewal';
  const stored = await storeEntitlement(tx, token, terms, {
    clock,
    challenge: newChallenge(),
    now,
    isRenewal,
  });
  if (stored === 0) throw new EntitlementOutdated();
  return [
    {
      category: 'config',
      type: isRenewal ? 'license_renewed' : 'license_activated',
      target: { kind: 'entitlement', id: terms.entitlementId },
      details: {
        origin,
        edition: terms.edition,
        endsAt: new Date(terms.endsAt).toISOString(),
        scanning: terms.features.includes('scanning'),
      },
    },
    ...putRight(kept, clock),
  ];
}

const answerable = (kept: KeptLicense | null): string | null =>
  kept !== null && isFresh(kept, kept.clock.mark) ? kept.challenge : null;

/** The audit entry of a mark that a token has moved back. */
const putRight = (kept: KeptLicense | null, { mark }: KeptClock): AuditEntry[] =>
  kept === null || kept.clock.mark - mark < TOLERANCE_MS
    ? []
    : [
        {
          category: 'config',
          type: 'license_clock_put_right',
          details: { minutes: Math.round((kept.clock.mark - mark) / 60_000) },
        },
      ];

/** Removes the token. From then on no scan starts until another one is activated. Throws `conflict` if there is none. */
export async function deactivateLicense(tx: Tx, now: number): Promise<AuditEntry> {
  const kept = await lockLicense(tx);
  if (kept === null || (await removeEntitlement(tx, now)) === 0)
    throw new ServiceError('conflict', 'No license is activated.');
  return {
    category: 'config',
    type: 'license_deactivated',
    target: { kind: 'entitlement', id: kept.entitlementId },
  };
}

/** What is wrong with a token, in words. They quote nothing of it. */
const REFUSAL_TEXTS: Readonly<Record<EntitlementRefusal, string>> = {
  too_large: 'is larger than an entitlement',
  malformed: 'is not a compact JWS with the header of an entitlement',
  wrong_type: 'is a token of another type',
  algorithm_not_allowed: 'is signed with an algorithm that is not allowed here',
  unknown_key: 'is signed with a key that this release does not know',
  bad_signature: 'has no valid signature',
  unknown_terms: 'has terms that this release cannot read; an entitlement of version 2 is needed',
  wrong_tenant: 'is for another tenant; `GET /api/controlplane/status` tells the id of this one',
};

/** Verifies a token that a person presents. Throws `validation_failed`, which says what is wrong. */
export async function verifyPresented(config: Config, tenantId: TenantId, token: string): Promise<Verified> {
  try {
    const terms = await verifyEntitlementOf(tenantId, token, trustedKeys(config));
    return { token, terms, challenge: null };
  } catch (error) {
    if (error instanceof EntitlementRefused)
      throw validationFailed([{ path: 'token', message: REFUSAL_TEXTS[error.reason] }]);
    throw error;
  }
}

/**
 * Asks the activation service for a token, by a one-time code or by the entitlement in force, and verifies it. Throws
 * `ActivationServiceFailed`.
 */
export async function obtainEntitlement(
  { config, stopping }: { config: Config; stopping: AbortSignal },
  address: string,
  tenantId: TenantId,
  proof: { code: string } | { entitlement: string },
): Promise<Verified> {
  const challenge = newChallenge();
  const token = await askActivationService(address, { tenantId, challenge, ...proof }, stopping);
  try {
    const terms = await verifyEntitlementOf(tenantId, token, trustedKeys(config));
    // An answer that somebody recorded repeats another challenge.
    if (terms.challenge === challenge) return { token, terms, challenge };
  } catch (error) {
    if (!(error instanceof EntitlementRefused)) throw error;
  }
  throw new ActivationServiceFailed('not_verified');
}

/** The address of the activation service. Throws `blocked_capability` where none is configured. */
export function activationAddress({ SVC_LICENSE_SERVICE_URL: address }: Config): string {
  if (address !== undefined) return address;
  throw new ServiceError('blocked_capability', 'The activation service needs SVC_LICENSE_SERVICE_URL.');
}

/** The errors of the activation service as errors of the API. */
export async function orServiceError<T>(obtaining: Promise<T>): Promise<T> {
  try {
    return await obtaining;
  } catch (error) {
    if (!(error instanceof ActivationServiceFailed)) throw error;
    if (error.reason === 'refused')
      throw validationFailed([{ path: 'code', message: 'is unknown, used or not for this tenant' }]);
    throw new ServiceError(
      'blocked_capability',
      `The activation service gave no usable entitlement: ${error.reason}.`,
    );
  }
}
