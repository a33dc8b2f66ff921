import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { effectiveSignals } from '../signals/effective-signals.sql.ts';

/** The signals of an asset after suppressions. */
export async function readSignals(tx: Tx, assetId: string): Promise<Signal[]> {
  const [row] = await tx.query<{ signals: Signal[] }>(sql`
    select ${effectiveSignals(sql`a`)} as signals from assets a
     where a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId}`);
  return row?.signals ?? [];
}
