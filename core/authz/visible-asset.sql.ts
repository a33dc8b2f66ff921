import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { notFound } from '../kernel/errors.ts';
import type { Visibility } from './principal.ts';
import { visibleAsset } from './visibility.sql.ts';

/** Throws `not_found` if the asset does not exist or the reader may not see it. */
export async function requireVisible(tx: Tx, visibility: Visibility, assetId: string): Promise<void> {
  const [asset] = await tx.query(sql`
    select 1 from assets a
     where a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId} and a.status = 'active'
       and ${visibleAsset(visibility)}`);
  if (asset === undefined) throw notFound();
}
