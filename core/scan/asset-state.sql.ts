import type { LabelObservation, Permissions, SourceFamily, SourceItem } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Excerpt } from '../detectors/redaction.ts';
import type { Features } from '../inference/features.ts';
import { unpackVector } from '../inference/packed.ts';
import type { AssetId, DomainId, ScopeId } from '../kernel/ids.ts';
import type { Stage } from '../kernel/vocabulary.ts';
import type { Comparable } from '../similarity/comparable.ts';
import { storeComparable } from '../similarity/store-comparable.sql.ts';
import { storeVector } from '../similarity/store-vector.sql.ts';
import { UnitFailure } from '../work/failure.ts';
import { contentModifiedAt } from './inventory.sql.ts';

export type DataHandlingProfile = 'metadata_only' | 'minimized_evidence' | 'enhanced_evidence';

type ContentState = 'not_fetched' | 'available' | 'partial' | 'unsupported' | 'failed' | 'inaccessible';

/** What the last look at the content left. */
export type ContentOutcome = {
  state: ContentState;
  reason: string | null;
  format: string | null;
  /** SHA-256 of the bytes, in hex; null where none were read. */
  hash: string | null;
};

/** All that a unit needs to know of an asset, its scope and its tenant, in one read. */
export type AssetState = {
  assetId: AssetId;
  scopeId: ScopeId;
  scopeExternalId: string;
  family: SourceFamily;
  expectedDomainId: DomainId | null;
  externalId: string;
  sourceVersion: string;
  stageKeys: Partial<Record<Stage, string>>;
  content: ContentOutcome;
  features: { key: string; value: Features } | null;
  configVersion: number;
  profile: DataHandlingProfile;
};

/** Null when there is no such asset, or no longer. */
export async function loadAssetState(tx: Tx, assetId: string): Promise<AssetState | null> {
  const [row] = await tx.query<{
    asset_id: AssetId;
    scope_id: ScopeId;
    scope_external_id: string;
    family: SourceFamily;
    expected_domain_id: DomainId | null;
    external_id: string;
    source_version: string;
    stage_keys: Partial<Record<Stage, string>>;
    content_state: ContentState;
    content_reason: string | null;
    format: string | null;
    content_hash: string | null;
    features_key: string | null;
    features: Features | null;
    config_version: number;
    data_handling_profile: DataHandlingProfile;
  }>(sql`
    select a.asset_id, a.scope_id, s.external_id as scope_external_id, s.family, s.expected_domain_id, a.external_id,
           a.source_version, a.stage_keys, a.content_state, a.content_reason, a.format, encode(a.content_hash, 'hex') as content_hash,
           f.features_key, f.features, t.config_version, t.data_handling_profile
      from assets a
      join scopes s using (tenant_id, scope_id)
      join tenants t using (tenant_id)
      left join asset_features f using (tenant_id, asset_id)
     where a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId} and a.status = 'active'`);
  if (row === undefined) return null;
  const { features, features_key: key } = row;
  return {
    assetId: row.asset_id,
    scopeId: row.scope_id,
    scopeExternalId: row.scope_external_id,
    family: row.family,
    expectedDomainId: row.expected_domain_id,
    externalId: row.external_id,
    sourceVersion: row.source_version,
    stageKeys: row.stage_keys,
    content: {
      state: row.content_state,
      reason: row.content_reason,
      format: row.format,
      hash: row.content_hash,
    },
    features: features === null || key === null ? null : { key, value: features },
    configVersion: row.config_version,
    profile: row.data_handling_profile,
  };
}

/** What one run over an asset found; null parts were not looked at again. */
export type Observation = {
  item: SourceItem;
  permissions: Permissions | null;
  label: LabelObservation | null;
  content: ContentOutcome;
  features: {
    key: string;
    value: Features;
    excerpts: readonly Excerpt[];
    /** Words by which the text is found; none under the profile `metadata_only`. */
    wordHashes: readonly number[];
    comparable: Comparable;
  } | null;
  stageKeys: Partial<Record<Stage, string>>;
};

/**
 * Locks an asset before anything that hangs on it is written: decisions and rescores lock in this order too. Throws when
 * it was listed anew or stored by another run since it was `loaded`, since this run may have seen the older of the two.
 */
export async function lockLoaded(tx: Tx, { assetId, sourceVersion, stageKeys }: AssetState): Promise<void> {
  const unchanged = await tx.query(sql`
    select 1 from assets
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}
       and source_version = ${sourceVersion} and stage_keys = ${sql.json(stageKeys)}::jsonb
       for no key update`);
  if (unchanged.length === 0) throw new UnitFailure('transient', 'asset_changed_meanwhile');
}

/**
 * Stores a run: the asset as it is now, its features, and a version where the source's versions or the content state
 * differ from the last one. Storing the same twice changes nothing. Whoever stores has locked the asset.
 */
export async function storeObservation(
  tx: Tx,
  assetId: AssetId,
  seen: Observation,
  now: number,
): Promise<void> {
  const { item, permissions, label, content, features } = seen;
  const at = new Date(now);
  await tx.query(sql`
    with latest as (
      select version, source_version, content_version, content_state from asset_versions
       where tenant_id = ${tx.tenantId} and asset_id = ${assetId} order by version desc limit 1
    ), changed as (
      select not exists (
        select 1 from latest
         where (source_version, content_version, content_state)
               = (${item.sourceVersion}, ${item.contentVersion}, ${content.state})) as is_new
    ), asset as (
      update assets set
        name = ${item.name}, path = ${item.path}, size_bytes = ${item.sizeBytes}, mime_type = ${item.mimeType},
        source_url = ${item.sourceUrl}, source_version = ${item.sourceVersion}, content_version = ${item.contentVersion},
        source_created_at = ${item.createdAt}::timestamptz, source_modified_at = ${item.modifiedAt}::timestamptz,
        content_modified_at = ${contentModifiedAt(sql`${item.contentVersion}`, sql`${item.modifiedAt}::timestamptz`)},
        modified_by = ${item.modifiedBy},
        content_state = ${content.state}, content_reason = ${content.reason}, format = ${content.format},
        content_hash = decode(${content.hash}, 'hex'),
        grants = coalesce(${permissions && sql.json(permissions.grants)}::jsonb, grants),
        permissions_complete = coalesce(${permissions?.complete ?? null}, permissions_complete),
        permissions_observed_at = case when ${permissions !== null} then ${at}::timestamptz else permissions_observed_at end,
        label_state = coalesce(${label?.state ?? null}, label_state),
        label_guid = case when ${label !== null} then ${label?.state === 'labeled' ? label.labelGuid : null} else label_guid end,
        label_name = case when ${label !== null} then ${label?.state === 'labeled' ? label.labelName : null} else label_name end,
        label_observed_at = case when ${label !== null} then ${at}::timestamptz else label_observed_at end,
        stage_keys = ${sql.json(seen.stageKeys)}::jsonb, last_seen_at = ${at},
        changed_at = case when changed.is_new then ${at} else changed_at end
      from changed
      where tenant_id = ${tx.tenantId} and asset_id = ${assetId}
      returning tenant_id, asset_id, source_version, content_version, name, path, size_bytes, content_state,
                content_reason, format, changed.is_new
    ), versioned as (
      insert into asset_versions (tenant_id, asset_id, version, source_version, content_version, name, path, size_bytes,
                                  content_state, content_reason, format, observed_at)
      select a.tenant_id, a.asset_id, coalesce(l.version, 0) + 1, a.source_version, a.content_version, a.name, a.path,
             a.size_bytes, a.content_state, a.content_reason, a.format, ${at}
        from asset a left join latest l on true
       where a.is_new
      on conflict do nothing
    )
    select asset_id from asset`);
  if (features === null) return;
  const kinds = features.value.signals.map((signal) => signal.detectorId);
  await tx.query(sql`
    insert into asset_features (tenant_id, asset_id, features_key, features, signal_kinds, excerpts, computed_at)
    values (${tx.tenantId}, ${assetId}, ${features.key}, ${sql.json(features.value)}::jsonb,
            ${kinds}::text[], ${sql.json(features.excerpts)}::jsonb, ${at})
    on conflict (tenant_id, asset_id) do update set
      features_key = excluded.features_key, features = excluded.features, signal_kinds = excluded.signal_kinds,
      excerpts = excluded.excerpts, computed_at = excluded.computed_at`);
  await storeComparable(tx, assetId, features.comparable);
  const { embedding } = features.value;
  await storeVector(tx, assetId, embedding && { ...embedding, vector: unpackVector(embedding.values) });
}

/**
 * The source refuses to tell of the asset. It stays as it was last seen, save that its content cannot be had, and counts
 * as not looked at, so that the next scan that meets it looks again.
 */
export async function storeRefusal(tx: Tx, assetId: AssetId): Promise<void> {
  await tx.query(sql`
    update assets set content_state = 'inaccessible', content_reason = null, stage_keys = stage_keys - 'observe'
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
}
