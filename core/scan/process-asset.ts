import { performance } from 'node:perf_hooks';
import type { Connector, SourceItem } from '../connectors/connector.ts';
import { type Tx, withTx } from '../db/tx.ts';
import { judgeRisk } from '../findings/recompute.ts';
import type { Opinion } from '../inference/features.ts';
import { withLeasedTx } from '../work/leased-tx.ts';
import { type UnitHandler, unitFields, type WorkUnit } from '../work/unit.ts';
import {
  type AssetState,
  loadAssetState,
  lockLoaded,
  type ReadContent,
  storeObservation,
  storeRefusal,
} from './asset-state.sql.ts';
import { countedFor } from './counted-connector.ts';
import { failsForGood } from './folder-permissions.ts';
import {
  type InferenceBasis,
  type InferredAsset,
  inferAsset,
  inferenceBasis,
  inferenceKeyOf,
} from './infer-asset.ts';
import { markDeleted } from './inventory.sql.ts';
import { readContent } from './read-content.ts';
import type { ScanParts } from './scan-parts.ts';
import { requireInForce, scoreByNewest } from './score-by-newest.ts';
import { createSecondOpinions } from './second-opinion.ts';
import { knownKeys, type StageKeys, Stages, stageKeysOf } from './stages.ts';
import type { TaxonomyInUse, TaxonomyLookup } from './taxonomy-cache.ts';

/**
 * Processes one asset in stages: observe, permissions, labels, content, features, inference. A stage whose key has
 * not changed is a cache hit and does not run. All reads come first, then one transaction writes. If nothing has
 * changed, there is no transaction.
 */
export function processAsset(parts: ScanParts, taxonomyInUse: TaxonomyLookup): UnitHandler {
  const opinions = createSecondOpinions(parts);
  return async (unit, signal) => {
    const { assetId } = unit.payload as { assetId: string };
    const taxonomy = await taxonomyInUse(unit.tenantId, signal);
    const stored = await withTx(parts.db, { tenantId: unit.tenantId, mode: 'read', planned: 'once' }, (tx) =>
      loadStored(tx, assetId, taxonomy, parts.clock()),
    );
    if (stored === null) return { observe: 'skipped' };
    const { state, last } = stored;
    // The delta that finds the scope accessible again takes the asset up, and the scan after the rule is gone.
    if (state.isScopeInaccessible || state.isLeftOut) return { observe: 'skipped' };
    const connector = countedFor(parts.connectorFor(unit.tenantId, state.family), unit.use);
    const stages = new Stages(knownKeys(state), parts.metrics, (stage) =>
      parts.log.debug('unit_stage', { ...unitFields(unit), stage, outcome: 'failed' }),
    );
    const observed = await observe(connector, state, stages, signal);
    if (observed === null || observed === 'denied') {
      await storeAbsence(parts, unit, state, observed);
      return stages.outcomes;
    }
    const item = inItsFolder(observed, state);
    const keys = stageKeysOf(item, state, taxonomy, parts);
    const { scopeExternalId, externalId } = state;
    const permissions = await ifReported(unit, stages, 'permissions', keys, () =>
      connector.getPermissions(scopeExternalId, externalId, signal),
    );
    const label = await ifReported(unit, stages, 'labels', keys, () =>
      connector.getLabel(scopeExternalId, externalId, signal),
    );
    const forOpinion = opinions.areOffered(state.profile);
    if (forOpinion && last !== null && (await opinions.isDue(unit, state, last.basis, taxonomy))) {
      stages.forget('content');
    }
    const look = { parts, tenantId: unit.tenantId, connector, state, item, keys, stages, forOpinion, signal };
    const read = await readContent(look, taxonomy);
    const excerpts = read.text?.opinionExcerpts ?? [];
    const opinion = await opinions.ask(unit, toInfer(state, item, read), excerpts, taxonomy, signal);
    const content = opinion === null ? read : withOpinion(read, opinion);
    const asset = toInfer(state, item, content);
    if (stages.areAllHits() && isUpToDate(stored, item, asset, taxonomy)) {
      return { ...stages.outcomes, inference: 'cache_hit' };
    }
    const newest = { lookup: taxonomyInUse, tenantId: unit.tenantId, signal };
    const store = async (tx: Tx, inUse: TaxonomyInUse) => {
      const [lastScoring] = await Promise.all([lockLoaded(tx, state), requireInForce(tx, inUse)]);
      const inferred = await inferAsset(tx, { ...asset, ...lastScoring }, inUse, parts.clock());
      const stageKeys = {
        ...keys,
        features: content.features.key,
        ...unreported(stages, state),
        inference: inferred.inferenceKey,
      };
      const seen = { item, permissions, label, content, signals: inferred.signals, stageKeys };
      await storeObservation(tx, state.assetId, seen, parts.clock());
      return inferred.outcome;
    };
    const inference = await scoreByNewest(newest, taxonomy, (inUse) =>
      withLeasedTx(parts.db, unit, (tx) => store(tx, inUse)),
    );
    return { ...stages.outcomes, inference };
  };
}

type Stored = {
  state: AssetState;
  /** What a new inference would depend on, and whether a new assessment of the risk is the stored one. Null before the first inference. */
  last: { basis: InferenceBasis; isRiskSame: boolean } | null;
};

async function loadStored(
  tx: Tx,
  assetId: string,
  taxonomy: TaxonomyInUse,
  now: number,
): Promise<Stored | null> {
  const state = await loadAssetState(tx, assetId);
  if (state === null) return null;
  if (state.stageKeys.inference === undefined) return { state, last: null };
  const asset = { ...state, contentHash: state.content.hash, sketches: null };
  const [basis, risk] = await Promise.all([
    inferenceBasis(tx, asset, state.features?.value ?? null, taxonomy),
    judgeRisk(tx, state.assetId, now),
  ]);
  return { state, last: { basis, isRiskSame: risk === null } };
}

/** Whether the asset is stored as it is, and a new inference and assessment would give the same result. */
const isUpToDate = (
  { state, last }: Stored,
  item: SourceItem,
  asset: InferredAsset,
  taxonomy: TaxonomyInUse,
): boolean =>
  last?.isRiskSame === true &&
  state.sourceVersion === item.sourceVersion &&
  state.scoredKey === inferenceKeyOf(asset, last.basis, taxonomy);

async function observe(
  connector: Connector,
  { scopeExternalId, externalId, stageKeys }: AssetState,
  stages: Stages,
  signal: AbortSignal,
): Promise<SourceItem | 'denied' | null> {
  const started = performance.now();
  const item = await stages.attempt('observe', () => connector.getItem(scopeExternalId, externalId, signal));
  const milliseconds = performance.now() - started;
  if (item === 'denied') stages.outcomes.observe = 'failed';
  else if (item !== null && stageKeys.observe === item.sourceVersion) stages.hit('observe', milliseconds);
  else stages.computed('observe', milliseconds);
  return item;
}

type Reported = 'permissions' | 'labels';

/**
 * Reads what the source reports of an asset. Null if nothing is new, or if the source refuses or, at the last attempt, fails
 * to answer: what it reported before is taken to hold still, the next run asks again, and the content is read in any case.
 */
async function ifReported<T>(
  unit: WorkUnit,
  stages: Stages,
  stage: Reported,
  keys: StageKeys,
  read: () => Promise<T | 'denied'>,
): Promise<T | null> {
  try {
    const answer = await stages.stage(stage, keys[stage], read);
    if (answer !== 'denied') return answer;
  } catch (error) {
    if (!failsForGood(unit, error)) throw error;
  }
  stages.outcomes[stage] = 'failed';
  return null;
}

/** The keys of what the source did not report: those of what it reported before. */
const unreported = ({ outcomes }: Stages, { stageKeys }: AssetState): Partial<Record<Reported, string>> =>
  Object.fromEntries(
    (['permissions', 'labels'] as const)
      .filter((stage) => outcomes[stage] === 'failed')
      .map((stage) => [stage, stageKeys[stage] ?? '']),
  );

/**
 * The item with the path that the service derived of its folder. A source that reports folders may be behind with the
 * paths of items, and an item that has moved gets its path when the listing reports the move.
 */
const inItsFolder = (item: SourceItem, { folder }: AssetState): SourceItem =>
  folder !== null && folder.externalId === item.parentExternalId
    ? { ...item, path: folder.path === '' ? item.name : `${folder.path}/${item.name}` }
    : item;

/** Stores that the source no longer has the item, or denies access to it. */
const storeAbsence = (
  { db, clock }: ScanParts,
  unit: WorkUnit,
  state: AssetState,
  absence: 'denied' | null,
): Promise<void> =>
  withLeasedTx(db, unit, async (tx) => {
    await lockLoaded(tx, state);
    if (absence === null) await markDeleted(tx, state.scopeId, [state.externalId], clock());
    else await storeRefusal(tx, state.assetId);
  });

const withOpinion = (
  { features: { key, value }, ...content }: ReadContent,
  opinion: Opinion,
): ReadContent => ({
  ...content,
  features: { key, value: { ...value, opinion } },
});

const toInfer = (
  { assetId, scopeId, expectedDomainId, scoredKey, inferenceKey, resultKey }: AssetState,
  { name, path, contentVersion }: SourceItem,
  { outcome, features, text }: ReadContent,
): InferredAsset => ({
  assetId,
  scopeId,
  name,
  path,
  contentHash: outcome.hash,
  contentVersion,
  features,
  sketches: text?.comparable.sketches ?? null,
  expectedDomainId,
  scoredKey,
  inferenceKey,
  resultKey,
});
