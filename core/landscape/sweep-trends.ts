import { forEachTenant } from '../authz/for-each-tenant.ts';
import { tenantsWithScopes } from '../authz/tenants.sql.ts';
import { type Db, withTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import { measureTrends } from './trends.sql.ts';

/** Measures the counts of the day for each tenant with a source. Concurrent and repeated runs are safe. */
export async function sweepTrends(
  db: Db,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  await forEachTenant(await tenantsWithScopes(db), signal, (tenantId) =>
    withTx(db, { tenantId, mode: 'write', signal }, (tx) => measureTrends(tx, clock())),
  );
}
