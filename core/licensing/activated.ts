import type { AuditEntry } from '../audit/event.ts';
import type { Config } from '../config/config.ts';
import type { Tx } from '../db/tx.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Logger } from '../observability/log.ts';
import { EntitlementOutdated, type Origin, putInForce, type Verified } from './activate.ts';
import { type LicenseStatus, licenseStatus } from './status.ts';

/** What an activation takes of its request. */
type Activation = {
  runtime: { config: Config; log: Logger };
  tx: Tx;
  prepared: Verified;
  now: number;
  correlationId: string;
  audit(entry: AuditEntry): void;
  afterCommit(task: () => Promise<void>): void;
};

/** Puts the token of a request in force. Returns the license then. Throws `conflict` if the token is outdated. */
export async function activated(
  { runtime, tx, prepared, now, correlationId, audit, afterCommit }: Activation,
  origin: Exclude<Origin, 'renewal'>,
): Promise<LicenseStatus> {
  try {
    for (const entry of await putInForce(tx, prepared, origin, now)) audit(entry);
  } catch (error) {
    if (error instanceof EntitlementOutdated)
      throw new ServiceError(
        'conflict',
        'The entitlement has ended by the effective time in GET /api/controlplane/status, or a later one is in force.',
      );
    throw error;
  }
  afterCommit(async () => runtime.log.info('license_activated', { tenantId: tx.tenantId, correlationId }));
  return licenseStatus(tx, runtime.config, now);
}
