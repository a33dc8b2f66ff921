import { meterFor, SpendingCapReached } from '../ai-usage/meter-for.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { ScanParts } from './scan-parts.ts';

/** The vectors of texts of a tenant. Null where its spending cap is reached: a scan goes on without them. */
export async function embedWithinCap(
  { provider, ...parts }: Pick<ScanParts, 'config' | 'db' | 'clock' | 'provider'>,
  tenantId: TenantId,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[] | null> {
  try {
    return await provider.embed(texts, signal, meterFor(parts, tenantId));
  } catch (error) {
    if (error instanceof SpendingCapReached) return null;
    throw error;
  }
}
