import { lookedAtContentVersion } from '../assets/same-content.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { FEATURE_VERSION, type Features, nameFeatures } from '../inference/features.ts';
import { joinScoring, type LastScoring, lastScoring } from '../inference/scorings.sql.ts';
import type { AssetId, DomainId, ScopeId } from '../kernel/ids.ts';
import { effectiveSignals } from '../signals/effective-signals.sql.ts';
import type { InferredAsset } from './infer-asset.ts';

/**
 * The retained features of active assets. Assets without features of the present version are left out. Their next scan
 * derives them.
 */
export async function retainedFeatures(tx: Tx, assetIds: readonly string[]): Promise<InferredAsset[]> {
  const rows = await tx.query<Row>(sql`
    ${retained(sql`f.features`)}
     where a.tenant_id = ${tx.tenantId} and a.asset_id = any(${assetIds}::text[]) and a.status = 'active'`);
  return rows.flatMap(inferredOf);
}

/** The same, of deleted assets too, with the signals that count after suppressions. */
export async function readRetained(tx: Tx, assetIds: readonly string[]): Promise<InferredAsset[]> {
  const counted = sql`jsonb_set(f.features, '{signals}', ${effectiveSignals(sql`a`)})`;
  const rows = await tx.query<Row>(sql`
    ${retained(counted)} where a.tenant_id = ${tx.tenantId} and a.asset_id = any(${assetIds}::text[])`);
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
} & LastScoring;

const retained = (features: Statement) => sql`
  select a.asset_id as "assetId", a.scope_id as "scopeId", a.name, a.path, encode(a.content_hash, 'hex') as "contentHash",
         ${lookedAtContentVersion} as "contentVersion", s.expected_domain_id as "expectedDomainId",
         f.features_key as "featuresKey", ${features} as features, ${lastScoring}
    from assets a
    join scopes s using (tenant_id, scope_id)
    join asset_features f using (tenant_id, asset_id)
    ${joinScoring}`;

const inferredOf = ({ featuresKey, features, ...row }: Row): InferredAsset[] =>
  features.featureVersion === FEATURE_VERSION
    ? [
        {
          ...row,
          features: { key: featuresKey, value: { ...features, ...nameFeatures(row) } },
          sketches: null,
        },
      ]
    : [];

export const storeInferenceKeys = (
  tx: Tx,
  keys: readonly { assetId: AssetId; inferenceKey: string }[],
): Promise<unknown> =>
  tx.execute(sql`
    update assets a set stage_keys = a.stage_keys || jsonb_build_object('inference', k.key)
      from unnest(${keys.map(({ assetId }) => assetId)}::text[], ${keys.map(({ inferenceKey }) => inferenceKey)}::text[]) as k (asset_id, key)
     where a.tenant_id = ${tx.tenantId} and a.asset_id = k.asset_id`);
