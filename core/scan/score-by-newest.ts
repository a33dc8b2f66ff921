import type { Tx } from '../db/tx.ts';
import type { TenantId } from '../kernel/ids.ts';
import { isAtLeast, type TaxonomyInUse, type TaxonomyLookup } from './taxonomy-cache.ts';
import { type VersionsInForce, versionsInForce } from './versions-in-force.sql.ts';

class NewerInForce extends Error {
  readonly versions: VersionsInForce;

  constructor(versions: VersionsInForce) {
    super('A newer version has come into force');
    this.versions = versions;
  }
}

/**
 * Takes the transaction of `scoreByNewest` back if what it scores by is no longer in force. The caller has locked the
 * assets: a rescore by a version that comes into force later waits for the lock, and has the last word.
 */
export async function requireInForce(tx: Tx, inUse: TaxonomyInUse): Promise<void> {
  const versions = await versionsInForce(tx);
  if (!isAtLeast(inUse, versions)) throw new NewerInForce(versions);
}

/**
 * Runs a transaction that scores assets and calls `requireInForce`. While a newer version has come into force since
 * `inUse` was read, runs it again with what is in force, so that no result of a former version replaces a newer one.
 */
export async function scoreByNewest<T>(
  { lookup, tenantId, signal }: { lookup: TaxonomyLookup; tenantId: TenantId; signal: AbortSignal },
  inUse: TaxonomyInUse,
  transaction: (inUse: TaxonomyInUse) => Promise<T>,
): Promise<T> {
  for (let newest = inUse; ; ) {
    try {
      return await transaction(newest);
    } catch (error) {
      if (!(error instanceof NewerInForce)) throw error;
      newest = await lookup(tenantId, signal, error.versions);
    }
  }
}
