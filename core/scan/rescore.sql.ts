import { lookedAtContentVersion } from '../assets/same-content.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { FEATURE_VERSION, type Features, nameFeatures } from '../inference/features.ts';
import type { AssetId, DomainId } from '../kernel/ids.ts';
import type { InferredAsset } from './infer-asset.ts';

/**
 * Reads the retained features of an asset and locks its row until the transaction ends, so that scans and decisions
 * wait. Null if the asset does not exist, or if it has no features of the present version. Its next scan then derives
 * them.
 */
export async function lockRetained(tx: Tx, assetId: string): Promise<InferredAsset | null> {
  const [row] = await tx.query<{
    assetId: AssetId;
    name: string;
    path: string;
    contentHash: string | null;
    contentVersion: string;
    expectedDomainId: DomainId | null;
    featuresKey: string;
    features: Features;
    inferenceKey: string | null;
  }>(sql`
    select a.asset_id as "assetId", a.name, a.path, encode(a.content_hash, 'hex') as "contentHash",
           ${lookedAtContentVersion} as "contentVersion", s.expected_domain_id as "expectedDomainId",
           f.features_key as "featuresKey", f.features, a.stage_keys ->> 'inference' as "inferenceKey"
      from assets a
      join scopes s using (tenant_id, scope_id)
      join asset_features f using (tenant_id, asset_id)
     where a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId} and a.status = 'active'
       for no key update of a`);
  if (row === undefined || row.features.featureVersion !== FEATURE_VERSION) return null;
  return {
    assetId: row.assetId,
    name: row.name,
    path: row.path,
    contentHash: row.contentHash,
    contentVersion: row.contentVersion,
    features: { key: row.featuresKey, value: { ...row.features, ...nameFeatures(row) } },
    sketches: null,
    expectedDomainId: row.expectedDomainId,
    inferenceKey: row.inferenceKey ?? undefined,
  };
}

export async function storeInferenceKey(tx: Tx, assetId: AssetId, key: string): Promise<void> {
  await tx.execute(sql`
    update assets set stage_keys = stage_keys || ${sql.json({ inference: key })}::jsonb
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
}
