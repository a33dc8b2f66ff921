import { sql } from '../../core/db/sql.ts';
import { type Db, type Tx, withTx } from '../../core/db/tx.ts';
import type { Signal } from '../../core/detectors/detector.ts';
import { loadActiveEnsemble } from '../../core/inference/active-ensemble.sql.ts';
import type { Contribution } from '../../core/inference/inference.ts';
import type { AssetId, TenantId } from '../../core/kernel/ids.ts';
import type { TableRead } from '../../core/kernel/table-text.ts';
import { recordInferences, suggestionsOf } from '../../core/review/record-inferences.sql.ts';
import { registerScopes } from '../../core/sources/scopes.sql.ts';

export type Said = {
  informationTypeId: string;
  domainId: string;
  confidence: number;
  contributions?: Contribution[];
};

/** What a scan stores of an asset. `CANARY` marks its name and everything about it. */
export type ScannedAsset = {
  assetId: string;
  name?: string;
  path?: string;
  format?: string;
  /** In hex. Assets with the same hash are byte-identical. */
  contentHash?: string;
  labelName?: string;
  excerpts?: { detectorId: string; text: string; column?: string }[];
  /** Makes it a table of a database. */
  table?: TableRead;
  signals?: Signal[];
  said?: readonly Said[];
  /** Milliseconds. */
  seenAt?: number;
  /** If set, the asset is as it was first seen. Otherwise it had another name before. */
  isAsFirstSeen?: true;
};

/** Part of every text that must not appear in logs, errors or the audit trail. */
export const CANARY = 'Zanzibar';

/** Stores assets in the tenant's scope `site-test` as a scan does. */
export function storeScanned(db: Db, tenantId: TenantId, assets: readonly ScannedAsset[]): Promise<void> {
  return withTx(db, { tenantId, mode: 'write' }, async (tx) => {
    await registerScopes(
      tx,
      'm365',
      'mock',
      [{ externalId: 'site-test', name: 'Test site', kind: 'site' }],
      Date.now(),
    );
    const [scope] = await tx.query<{ scope_id: string }>(
      sql`select scope_id from scopes where tenant_id = ${tenantId} and external_id = 'site-test'`,
    );
    for (const asset of assets) await storeOne(tx, scope?.scope_id ?? '', asset);
  });
}

async function storeOne(tx: Tx, scopeId: string, asset: ScannedAsset): Promise<void> {
  const { assetId, name = `${CANARY} ${assetId}.docx`, excerpts = [], signals = [] } = asset;
  const path = asset.path ?? `${CANARY}/${name}`;
  const seenAt = new Date(asset.seenAt ?? Date.now());
  const grants = [
    { principal: `${CANARY} team`, principalKind: 'group', external: false, role: 'read', inherited: true },
  ];
  await tx.query(sql`
    insert into assets (tenant_id, asset_id, scope_id, external_id, name, path, kind, size_bytes, source_version,
                        content_version, content_state, format, content_hash, label_state, label_name, grants,
                        permissions_observed_at, first_seen_at, last_seen_at, changed_at)
    values (${tx.tenantId}, ${assetId}, ${scopeId}, ${`ext-${assetId}`}, ${name}, ${path}, ${asset.table === undefined ? 'file' : 'table'}, 100, 'v1', 'c1',
            'available', ${asset.format ?? (asset.table === undefined ? 'docx' : 'table')}, decode(${asset.contentHash ?? null}, 'hex'),
            ${asset.labelName === undefined ? 'unlabeled' : 'labeled'}, ${asset.labelName ?? null},
            ${sql.json(grants)}::jsonb, ${seenAt}, ${seenAt}, ${seenAt}, ${seenAt})`);
  await tx.query(sql`
    insert into asset_versions (tenant_id, asset_id, version, source_version, content_version, name, path, size_bytes,
                                content_state, observed_at)
    values (${tx.tenantId}, ${assetId}, 1, 'v0', 'c0', 'Former name.docx', 'Former/Former name.docx', 90, 'available', ${seenAt})`);
  if (asset.isAsFirstSeen === undefined)
    await tx.query(sql`
      insert into asset_versions (tenant_id, asset_id, version, source_version, content_version, name, path, size_bytes,
                                  content_state, observed_at)
      values (${tx.tenantId}, ${assetId}, 2, 'v1', 'c1', ${name}, ${path}, 100, 'available', ${seenAt})`);
  await tx.query(sql`
    insert into asset_features (tenant_id, asset_id, features_key, features, signal_kinds, excerpts, computed_at)
    values (${tx.tenantId}, ${assetId}, 'key', ${sql.json({ signals, table: asset.table })}::jsonb,
            ${signals.map((signal) => signal.detectorId)}::text[], ${sql.json(excerpts)}::jsonb, ${seenAt})`);
  await infer(tx, assetId, 'first', asset.said ?? []);
}

/**
 * Stores a further inference of an asset. The same key means the same run of the model.
 * @param readAgain whether the content was read, rather than scored again from its retained features
 */
export async function infer(
  tx: Tx,
  assetId: string,
  key: string,
  said: readonly Said[],
  readAgain = true,
): Promise<void> {
  const ensemble = await loadActiveEnsemble(tx);
  const run = {
    assetId: assetId as AssetId,
    suggestions: suggestionsOf(
      said.map((each) => ({
        contributions: [],
        ...each,
        sensitivity: 'internal' as const,
        ensembleVersion: ensemble.version,
      })),
      { refusedBy: [], signals: [], spellings: undefined },
      ensemble,
    ),
    inferenceKey: key,
    readAgain,
  };
  await recordInferences(tx, [run], ensemble.version, Date.now());
  await tx.query(sql`
    update assets set stage_keys = stage_keys || ${sql.json({ inference: key })}::jsonb
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
}
