import { z } from 'zod';
import { assetById } from '../authz/asset-by-id.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { visibleAsset } from '../authz/visibility.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** Name and location of the asset that an action is about. Null if the reader may not see the asset. */
export const NamedTargetSchema = z.object({
  targetAssetName: z.string().nullable(),
  targetAssetPath: z.string().nullable(),
  targetScopeName: z.string().nullable(),
});

/** The columns of `namedTarget` for `NamedTargetSchema`. */
export const namedTargetColumns = sql`
  n.name as "targetAssetName", n.path as "targetAssetPath", n.scope_name as "targetScopeName"`;

/**
 * The target `n` of `actions a` for `left join lateral … on true`. Deleted assets are included.
 * @param sees the assets whose names the reader may see; null means none
 */
export const namedTarget = (tx: Tx, sees: Visibility | null): Statement => sql`(
  select a.asset_id, a.name, a.path, s.name as scope_name
    from (select a.target_asset_id as asset_id) t
    cross join lateral ${assetById(tx, sql`t.asset_id`)}
    left join scopes s on s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
   where ${sees === null ? sql`false` : visibleAsset(sees)}) n`;
