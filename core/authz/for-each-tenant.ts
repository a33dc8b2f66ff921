import type { TenantId } from '../kernel/ids.ts';

/** A tenant that takes long keeps few others waiting. */
const TENANTS_AT_ONCE = 4;

/** Runs `sweep` for each tenant, a few at once, until `signal` aborts; what fails for some is thrown when all are done. */
export async function forEachTenant(
  tenants: readonly TenantId[],
  signal: AbortSignal,
  sweep: (tenantId: TenantId) => Promise<void>,
): Promise<void> {
  const waiting = tenants.values();
  const errors: unknown[] = [];
  const lane = async () => {
    for (const tenantId of waiting) {
      if (signal.aborted) return;
      await sweep(tenantId).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: TENANTS_AT_ONCE }, lane));
  if (errors.length > 0 && !signal.aborted) throw new AggregateError(errors, 'Some tenants were not swept');
}
