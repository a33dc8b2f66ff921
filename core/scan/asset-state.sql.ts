import type { LabelObservation, Permissions, SourceFamily, SourceItem } from '../connectors/connector.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import type { Excerpt } from '../detectors/redaction.ts';
import { lockAssets } from '../findings/lock-assets.sql.ts';
import { judgeRisk } from '../findings/recompute.ts';
import { type Judgement, storeRisks } from '../findings/risk.sql.ts';
import { highestSeverity } from '../findings/risk.ts';
import type { Features } from '../inference/features.ts';
import { unpackVector } from '../inference/packed.ts';
import { joinScoring, type LastScoring, lastScoring } from '../inference/scorings.sql.ts';
import type { AssetId, DomainId, ScopeId } from '../kernel/ids.ts';
import type { ContentReason, Stage } from '../kernel/vocabulary.ts';
import { searchLexemes } from '../search/searched-words.ts';
import { effectiveSignals } from '../signals/effective-signals.sql.ts';
import type { Comparable } from '../similarity/comparable.ts';
import { storeComparable } from '../similarity/store-comparable.sql.ts';
import { storeVector } from '../similarity/store-vector.sql.ts';
import { UnitFailure } from '../work/failure.ts';
import { contentModifiedAt } from './inventory.sql.ts';

export type DataHandlingProfile = 'metadata_only' | 'minimized_evidence' | 'enhanced_evidence';

type ContentState = 'not_fetched' | 'available' | 'partial' | 'unsupported' | 'failed' | 'inaccessible';

/** The result of the last look at the content. */
export type ContentOutcome = {
  state: ContentState;
  reason: ContentReason | null;
  /** How many pages and files inside were not read, or not wholly. Null if none is known. */
  unreadParts: number | null;
  format: string | null;
  /** SHA-256 of the bytes in hex. Null if no bytes were read. */
  hash: string | null;
};

/** What was read of the content of an asset. If it has not changed, what is stored of it. */
export type ReadContent = {
  outcome: ContentOutcome;
  /** The key is that of their stage, or another one if they have no embedding. */
  features: { key: string; value: Features };
  /** What else is kept of a text. Null if the content was not read again, so that nothing of it is stored again. */
  text: {
    excerpts: readonly Excerpt[];
    /** The words by which the text is found; empty under the profile `metadata_only`. */
    wordHashes: readonly number[];
    comparable: Comparable;
    /** Not stored; empty if no second opinion is wanted. */
    opinionExcerpts: readonly string[];
  } | null;
};

/** What a unit needs to know of an asset, its scope and its tenant, in one read. */
export type AssetState = {
  assetId: AssetId;
  scopeId: ScopeId;
  scopeExternalId: string;
  family: SourceFamily;
  expectedDomainId: DomainId | null;
  /** Whether the source refused the scope when it was last asked. */
  isScopeInaccessible: boolean;
  /** Whether a rule leaves it out of scans: it stays as it was last read. */
  isLeftOut: boolean;
  externalId: string;
  path: string;
  /** The folder that it was listed in, with the path of that folder; null if the source reports no folders. */
  folder: { externalId: string; path: string } | null;
  sourceVersion: string;
  stageKeys: Partial<Record<Stage, string>>;
  /** An earlier release read the label, and may have taken that of another organization for ours. */
  isLabelDoubtful: boolean;
  content: ContentOutcome;
  features: { key: string; value: Features } | null;
  configVersion: number;
  profile: DataHandlingProfile;
} & LastScoring;

/** Null if the asset does not exist or was deleted. */
export async function loadAssetState(tx: Tx, assetId: string): Promise<AssetState | null> {
  const [row] = await tx.query<AssetState & { isActive: boolean }>(sql`
    select a.status = 'active' as "isActive", a.asset_id as "assetId", a.scope_id as "scopeId", s.external_id as "scopeExternalId", s.family,
           s.expected_domain_id as "expectedDomainId", s.inaccessible_since is not null as "isScopeInaccessible",
           a.left_out_by is not null as "isLeftOut",
           a.external_id as "externalId",
           a.path, case when d.path is not null then json_build_object('externalId', d.external_id, 'path', d.path) end as folder,
           a.source_version as "sourceVersion", a.stage_keys as "stageKeys",
           a.label_state = 'labeled' and a.foreign_labels is null as "isLabelDoubtful",
           json_build_object('state', a.content_state, 'reason', a.content_reason, 'unreadParts', a.unread_parts, 'format', a.format,
                             'hash', encode(a.content_hash, 'hex')) as content,
           case when f.features_key is not null
                then json_build_object('key', f.features_key, 'value', f.features) end as features,
           ${lastScoring}, t.config_version as "configVersion", t.data_handling_profile as profile
      from assets a
      join scopes s using (tenant_id, scope_id)
      join tenants t using (tenant_id)
      left join asset_features f using (tenant_id, asset_id)
      left join source_folders d on d.tenant_id = a.tenant_id and d.scope_id = a.scope_id
                                and d.external_id = a.parent_external_id
      ${joinScoring}
     where a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId}`);
  if (row?.isActive !== true) return null;
  const { isActive: _, ...state } = row;
  return state;
}

/** What one run over an asset found. Null parts were not read again. */
export type Observation = {
  item: SourceItem;
  permissions: Permissions | null;
  label: LabelObservation | null;
  content: ReadContent | { outcome: ContentOutcome; text: null };
  /** The signals that count, after suppressions. Null if they are stored. */
  signals: readonly Signal[] | null;
  stageKeys: Partial<Record<Stage, string>>;
};

/**
 * Locks an asset before rows that belong to it are written. Decisions and rescores lock in the same order. Throws if
 * another run has listed, moved or stored the asset since it was `loaded`, because this run may then hold older data.
 * @returns its last scoring, which a rescore may have changed meanwhile
 */
export async function lockLoaded(
  tx: Tx,
  {
    assetId,
    path,
    sourceVersion,
    stageKeys,
  }: Pick<AssetState, 'assetId' | 'path' | 'sourceVersion' | 'stageKeys'>,
): Promise<LastScoring> {
  const { inference: _, ...ofSource } = stageKeys;
  // A rescore locks the row of the asset and may change that of its scoring alone, so that is read under the lock.
  const [, [scoring]] = await Promise.all([
    lockAssets(tx, [assetId]),
    tx.query<LastScoring>(sql`
      select ${lastScoring} from assets a ${joinScoring}
       where a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId} and a.path = ${path}
         and a.source_version = ${sourceVersion} and a.stage_keys - 'inference' = ${sql.json(ofSource)}::jsonb`),
  ]);
  if (scoring === undefined) throw new UnitFailure('transient', 'asset_changed_meanwhile');
  return scoring;
}

/** The row of an asset after an observation, with the columns that a risk assessment reads. */
const judgedColumns = ({ item, permissions, label, content, signals, stageKeys }: Observation) => sql`
  select assets.tenant_id, assets.asset_id, assets.scope_id, assets.status,
         coalesce(${permissions && sql.json(permissions.grants)}::jsonb, assets.grants) as grants,
         coalesce(${permissions?.complete ?? null}, assets.permissions_complete) as permissions_complete,
         coalesce(${label?.state ?? null}, assets.label_state) as label_state,
         ${labelColumn(label, labelOf(label)?.labelGuid, sql`assets.label_guid`)} as label_guid,
         coalesce(${foreignOf(label)}::jsonb, assets.foreign_labels) as foreign_labels,
         decode(${content.outcome.hash}, 'hex') as content_hash,
         ${contentModifiedAt(sql`${item.contentVersion}::text`, sql`${item.modifiedAt}::timestamptz`)} as content_modified_at,
         ${stageKeys.inference ?? null}::text as inference_key, ${signals === null ? effectiveSignals(sql`assets`) : sql`${sql.json(signals)}::jsonb`} as signals
    from assets`;

const labelOf = (label: LabelObservation | null) => (label?.state === 'labeled' ? label : null);

/** Null if nobody looked, or the source did not say. */
const foreignOf = (label: LabelObservation | null) =>
  label === null || label.state === 'unknown' ? null : sql.json(label.foreign ?? []);

/** The observed value of a label column, or the stored one if the label was not observed. */
const labelColumn = (
  label: LabelObservation | null,
  observed: string | null | undefined,
  stored: Statement,
) => sql`case when ${label !== null} then ${observed ?? null} else ${stored} end`;

/**
 * Stores the result of a run: the asset, its risk and what is kept of its text. It adds a version if the source's versions
 * or the content state differ from the last one. Storing the same result twice changes nothing. The caller has locked the
 * row of the asset, and has stored its inferences (`inferAsset`). At the commit, triggers place the asset and index it for
 * search (ADR 12).
 */
export async function storeObservation(
  tx: Tx,
  assetId: AssetId,
  seen: Observation,
  now: number,
): Promise<void> {
  const { content } = seen;
  const risk = await judgeRisk(tx, assetId, now, { seen: judgedColumns(seen) });
  await Promise.all([
    // `assets`, `asset_versions`
    storeAsset(tx, assetId, seen, risk, now),
    // `asset_risks`, `findings`
    risk && storeRisks(tx, [risk], now),
    // `asset_features`
    content.text && storeFeatures(tx, assetId, content.features, content.text, seen.signals, now),
    // `asset_sketches`, `sketch_bands`, `asset_contents`
    content.text && storeComparable(tx, assetId, content.text.comparable),
    // `asset_vectors`
    content.text && storeVector(tx, assetId, vectorOf(content.features.value)),
  ]);
}

const vectorOf = ({ embedding }: Features) =>
  embedding && { ...embedding, vector: unpackVector(embedding.values) };

async function storeAsset(
  tx: Tx,
  assetId: AssetId,
  { item, permissions, label, content: { outcome: content }, stageKeys }: Observation,
  risk: Judgement | null,
  now: number,
): Promise<void> {
  const at = new Date(now);
  await tx.execute(sql`
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
        name = ${item.name}, path = ${item.path}, parent_external_id = ${item.parentExternalId ?? null}, size_bytes = ${item.sizeBytes}, mime_type = ${item.mimeType},
        source_url = ${item.sourceUrl}, source_version = ${item.sourceVersion}, content_version = ${item.contentVersion},
        source_created_at = ${item.createdAt}::timestamptz, source_modified_at = ${item.modifiedAt}::timestamptz,
        content_modified_at = ${contentModifiedAt(sql`${item.contentVersion}`, sql`${item.modifiedAt}::timestamptz`)},
        modified_by = ${item.modifiedBy},
        content_state = ${content.state}, content_reason = ${content.reason}, unread_parts = ${content.unreadParts}, format = ${content.format},
        content_hash = decode(${content.hash}, 'hex'),
        grants = coalesce(${permissions && sql.json(permissions.grants)}::jsonb, grants),
        permissions_complete = coalesce(${permissions?.complete ?? null}, permissions_complete),
        permissions_observed_at = case when ${permissions !== null} then ${at}::timestamptz else permissions_observed_at end,
        label_state = coalesce(${label?.state ?? null}, label_state),
        label_guid = ${labelColumn(label, labelOf(label)?.labelGuid, sql`assets.label_guid`)},
        label_name = ${labelColumn(label, labelOf(label)?.labelName, sql`assets.label_name`)},
        foreign_labels = coalesce(${foreignOf(label)}::jsonb, foreign_labels),
        label_observed_at = case when ${label !== null} then ${at}::timestamptz else label_observed_at end,
        risk_severity = case when ${risk !== null} then ${risk && highestSeverity(risk.components)} else risk_severity end,
        stage_keys = ${sql.json(stageKeys)}::jsonb, last_seen_at = ${at},
        changed_at = case when changed.is_new then ${at} else changed_at end
      from changed
      where tenant_id = ${tx.tenantId} and asset_id = ${assetId}
      returning tenant_id, asset_id, source_version, content_version, name, path, size_bytes, content_state,
                content_reason, unread_parts, format, changed.is_new
    )
    insert into asset_versions (tenant_id, asset_id, version, source_version, content_version, name, path, size_bytes,
                                content_state, content_reason, unread_parts, format, observed_at)
    select a.tenant_id, a.asset_id, coalesce(l.version, 0) + 1, a.source_version, a.content_version, a.name, a.path,
           a.size_bytes, a.content_state, a.content_reason, a.unread_parts, a.format, ${at}
      from asset a left join latest l on true
     where a.is_new
    on conflict do nothing`);
}

async function storeFeatures(
  tx: Tx,
  assetId: AssetId,
  { key, value }: ReadContent['features'],
  { excerpts, wordHashes }: NonNullable<ReadContent['text']>,
  counted: Observation['signals'],
  now: number,
): Promise<void> {
  const kinds = value.signals.map(({ detectorId }) => detectorId);
  const lexemes = searchLexemes(tx.tenantId, wordHashes, counted ?? value.signals);
  await tx.execute(sql`
    insert into asset_features (tenant_id, asset_id, features_key, features, signal_kinds, excerpts, search_lexemes,
                                computed_at)
    values (${tx.tenantId}, ${assetId}, ${key}, ${sql.json(value)}::jsonb, ${kinds}::text[],
            ${sql.json(excerpts)}::jsonb, ${lexemes}::text[], ${new Date(now)})
    on conflict (tenant_id, asset_id) do update set
      features_key = excluded.features_key, features = excluded.features, signal_kinds = excluded.signal_kinds,
      excerpts = excluded.excerpts, search_lexemes = excluded.search_lexemes, computed_at = excluded.computed_at`);
}

/**
 * Stores that the source denies access to an asset. The asset stays as it was last seen, but its content is
 * `inaccessible`. It counts as not observed, so that the next scan that lists it looks again.
 */
export async function storeRefusal(tx: Tx, assetId: AssetId): Promise<void> {
  await tx.query(sql`
    update assets set content_state = 'inaccessible', content_reason = null, unread_parts = null,
           stage_keys = stage_keys - 'observe'
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
}
