import { lookedAtContentVersion } from '../assets/same-content.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { FEATURE_VERSION, type Features, nameFeatures } from '../inference/features.ts';
import type { AssetId, DomainId, ScopeId } from '../kernel/ids.ts';
import { standingSignals } from '../signals/standing-signals.sql.ts';
import type { InferredAsset } from './infer-asset.ts';

/**
 * Reads the retained features of an asset and locks its row until the transaction ends, so that scans and decisions
 * wait. Null if the asset does not exist, or if it has no features of the present version. Its next scan then derives
 * them.
 */
export async function lockRetained(tx: Tx, assetId: string): Promise<InferredAsset | null> {
  const which = sql`a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId} and a.status = 'active'`;
  const rows = await tx.query<Row>(sql`${retained(sql`f.features`)} where ${which} for no key update of a`);
  return rows.flatMap(inferredOf)[0] ?? null;
}

/**
 * The retained features of these assets, deleted ones too, with the signals that count after suppressions. Assets without
 * features of the present version are left out.
 */
export async function readRetained(tx: Tx, assetIds: readonly string[]): Promise<InferredAsset[]> {
  const standing = sql`jsonb_set(f.features, '{signals}', ${standingSignals(sql`a`)})`;
  const rows = await tx.query<Row>(sql`
    ${retained(standing)} where a.tenant_id = ${tx.tenantId} and a.asset_id = any(${assetIds}::text[])`);
  return rows.flatMap(inferredOf);
}

type Row = {
  assetId: AssetId;
  scopeId: ScopeId;
  name: string;
  path: string;
  contentHash: string | null;
  contentVersion: string;
  expectedDomainId: DomainId | null;
  featuresKey: string;
  features: Features;
  inferenceKey: string | null;
};

const retained = (features: Statement) => sql`
  select a.asset_id as "assetId", a.scope_id as "scopeId", a.name, a.path, encode(a.content_hash, 'hex') as "contentHash",
         ${lookedAtContentVersion} as "contentVersion", s.expected_domain_id as "expectedDomainId",
         f.features_key as "featuresKey", ${features} as features, a.stage_keys ->> 'inference' as "inferenceKey"
    from assets a
    join scopes s using (tenant_id, scope_id)
    join asset_features f using (tenant_id, asset_id)`;

const inferredOf = ({ featuresKey, features, inferenceKey, ...row }: Row): InferredAsset[] =>
  features.featureVersion === FEATURE_VERSION
    ? [
        {
          ...row,
          features: { key: featuresKey, value: { ...features, ...nameFeatures(row) } },
          sketches: null,
          inferenceKey: inferenceKey ?? undefined,
        },
      ]
    : [];

export async function storeInferenceKey(tx: Tx, assetId: AssetId, key: string): Promise<void> {
  await tx.execute(sql`
    update assets set stage_keys = stage_keys || ${sql.json({ inference: key })}::jsonb
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
}
