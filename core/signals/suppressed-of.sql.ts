import type { Visibility } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { SuppressedSignal } from './suppression.ts';

/**
 * What rules have taken of the signals of an asset. The id of a rule is shown only to readers who may see it.
 * @param visibility of rules; null if the reader sees none
 */
export async function suppressedOf(
  tx: Tx,
  assetId: string,
  visibility: Visibility | null,
): Promise<(Omit<SuppressedSignal, 'suppressionId' | 'domainId'> & { suppressionId: string | null })[]> {
  const [row] = await tx.query<{ suppressed: SuppressedSignal[] }>(sql`
    select suppressed from asset_suppressions where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
  return (row?.suppressed ?? []).map(({ suppressionId, domainId, ...taken }) => ({
    ...taken,
    suppressionId:
      visibility?.kind === 'tenant' || visibility?.domainIds.some((each) => each === domainId)
        ? suppressionId
        : null,
  }));
}
