import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { assetById } from '../visibility/asset-by-id.sql.ts';
import { visibleAsset } from '../visibility/visibility.sql.ts';

/** What the asset is called that an action is about, and where it lies; null for a reader who may not see the asset. */
export const NamedTargetSchema = z.object({
  targetAssetName: z.string().nullable(),
  targetAssetPath: z.string().nullable(),
  targetScopeName: z.string().nullable(),
});

/** Of `namedTarget`, what `NamedTargetSchema` shows. */
export const namedTargetColumns = sql`
  n.name as "targetAssetName", n.path as "targetAssetPath", n.scope_name as "targetScopeName"`;

/**
 * Of `actions a`: the target `n` as far as the reader may see it, also when it is gone; to be joined by `left join lateral … on true`.
 * @param sees of which assets the reader is told; null: of none
 */
export const namedTarget = (tx: Tx, sees: Visibility | null): Statement => sql`(
  select a.asset_id, a.name, a.path, s.name as scope_name
    from (select a.target_asset_id as asset_id) t
    cross join lateral ${assetById(tx, sql`t.asset_id`)}
    left join scopes s on s.tenant_id = a.tenant_id and s.scope_id = a.scope_id
   where ${sees === null ? sql`false` : visibleAsset(sees)}) n`;
