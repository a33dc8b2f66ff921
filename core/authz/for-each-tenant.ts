import { fewAtATime } from '../kernel/few-at-a-time.ts';
import type { TenantId } from '../kernel/ids.ts';

/** Runs `sweep` for each tenant, a few at once, until `signal` aborts; what fails for some is thrown when all are done. */
export async function forEachTenant(
  tenants: readonly TenantId[],
  signal: AbortSignal,
  sweep: (tenantId: TenantId) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  await fewAtATime(tenants, (tenantId) => sweep(tenantId).catch((error: unknown) => errors.push(error)), {
    goesOn: () => !signal.aborted,
  });
  if (errors.length > 0 && !signal.aborted) throw new AggregateError(errors, 'Some tenants were not swept');
}
