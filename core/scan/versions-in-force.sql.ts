import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** The versions of what assets are scored by. All only rise. */
export type VersionsInForce = {
  ensemble: number;
  suppressions: number;
  /** Time in milliseconds after which the answers so far were read. */
  answeredAt: number;
};

/** What a scoring must not be older than. Answers may be some seconds old. */
export async function versionsInForce(tx: Tx): Promise<VersionsInForce> {
  const [versions] = await tx.query<Omit<VersionsInForce, 'answeredAt'>>(sql`
    select version as ensemble,
           coalesce((select version from suppression_sets where tenant_id = ${tx.tenantId}), 0) as suppressions
      from ensembles where tenant_id = ${tx.tenantId} and active`);
  if (versions === undefined) throw new Error('The tenant has no active ensemble');
  return { ...versions, answeredAt: 0 };
}
