import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** The name and location of an asset. */
export type NamedAsset = { assetId: string; name: string; path: string; scopeId: string; scopeName: string };

/** The active ones of these assets, by id. The caller passes only assets that the reader may see. */
export const namedAssets = (tx: Tx, assetIds: readonly string[]): Promise<NamedAsset[]> =>
  tx.query<NamedAsset>(sql`
    select a.asset_id as "assetId", a.name, a.path, a.scope_id as "scopeId", s.name as "scopeName"
      from assets a join scopes s on s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
     where a.tenant_id = ${tx.tenantId} and a.status = 'active' and a.asset_id = any(${assetIds}::text[])
     order by a.asset_id`);
