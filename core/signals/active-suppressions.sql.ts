import { randomBytes } from 'node:crypto';
import { FENCE } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { RESCORE_BATCH } from '../inference/plan-rescore.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { Suppression, SuppressionSet } from './suppression.ts';

const RULE = sql`
  suppression_id as "suppressionId", kind, detector_id as "detectorId", domain_id as "domainId",
  scope_id as "scopeId", folder, fingerprint, shingles, template, bands`;

/** The tenant's rules in force, and the version of their set. Version 0: no rule has ever been in force. */
export async function loadActiveSuppressions(tx: Tx): Promise<SuppressionSet> {
  const [rules, [set]] = await Promise.all([
    tx.query<Suppression>(sql`
      select ${RULE} from suppressions
       where tenant_id = ${tx.tenantId} and status = 'active' order by suppression_id`),
    tx.query<{ version: number }>(sql`
      select version from suppression_sets where tenant_id = ${tx.tenantId}`),
  ]);
  return { version: set?.version ?? 0, rules };
}

/** A rule in any state. Null if there is none with this id. */
export async function loadSuppression(tx: Tx, suppressionId: string): Promise<Suppression | null> {
  const [rule] = await tx.query<Suppression>(sql`
    select ${RULE} from suppressions where tenant_id = ${tx.tenantId} and suppression_id = ${suppressionId}`);
  return rule ?? null;
}

/** The key of the tenant's fingerprints, in Base64. Null if there is none yet. */
export async function loadFingerprintKey(tx: Tx): Promise<string | null> {
  const [row] = await tx.query<{ key: string }>(sql`
    select encode(key, 'base64') as key from fingerprint_keys where tenant_id = ${tx.tenantId}`);
  return row?.key ?? null;
}

/** The same. Makes a random key if there is none yet; concurrent calls return the same one. */
export async function fingerprintKey(tx: Tx, now: number): Promise<string> {
  const known = await loadFingerprintKey(tx);
  if (known !== null) return known;
  await tx.execute(sql`
    insert into fingerprint_keys (tenant_id, key, created_at)
    values (${tx.tenantId}, ${randomBytes(32)}, ${new Date(now)})
    on conflict do nothing`);
  return (await loadFingerprintKey(tx)) ?? '';
}

/** Assets of one step through those that a rule may be about. */
type Step = {
  assetIds: AssetId[];
  /** The last asset that was looked at, where there may be more. */
  next: AssetId | null;
};

/**
 * Assets with any find that one step goes through at most. The index has their detectors; those of the detector are
 * looked up.
 */
const MOST_LOOKED = 50_000;

/**
 * Active assets that a rule may be about, by id, after `after`: all that it is about, and some others with a similar
 * template. A step ends after `RESCORE_BATCH` assets with finds of the detector in the rule's place, or after
 * `mostLooked` with any find, so that it takes a bounded time however rare a detector, a place or a value is.
 * @param among condition on `assets a`
 */
export async function assetsOfSuppression(
  tx: Tx,
  rule: Suppression,
  after: string,
  among: Statement = sql`true`,
  mostLooked: number = MOST_LOOKED,
): Promise<Step> {
  // The condition of the partial index, as the planner recognizes it.
  const looked = sql`
    select asset_id, signal_kinds from asset_features
     where tenant_id = ${tx.tenantId} and asset_id > ${after} and signal_kinds <> '{}'
     order by asset_id`;
  const rows = await tx.query<{ assetId: AssetId; isAbout: boolean }>(sql`
    with step as materialized (
      select a.asset_id
        from (${looked} limit ${sql.whole(mostLooked)}) l
       cross join lateral (
         select * from assets where tenant_id = ${tx.tenantId} and asset_id = l.asset_id ${FENCE}) a
       where l.signal_kinds @> array[${rule.detectorId}]::text[] and a.status = 'active'
         and ${isInPlace(rule)} and ${among}
       order by l.asset_id limit ${RESCORE_BATCH}
    )
    select step.asset_id as "assetId", ${holdsValue(rule)} as "isAbout"
      from step join asset_features f on f.tenant_id = ${tx.tenantId} and f.asset_id = step.asset_id
     order by 1`);
  const isFull = rows.length === RESCORE_BATCH;
  const [lastLooked] = isFull
    ? []
    : await tx.query<{ assetId: AssetId }>(sql`
        select asset_id as "assetId" from (${looked} offset ${sql.whole(mostLooked - 1)} limit 1) last`);
  return {
    assetIds: rows.filter(({ isAbout }) => isAbout).map(({ assetId }) => assetId),
    next: (isFull ? rows.at(-1) : lastLooked)?.assetId ?? null,
  };
}

/** Condition on `assets a`: it is in the scope and folder of the rule, or shares a band with its template. */
function isInPlace(rule: Suppression): Statement {
  switch (rule.kind) {
    case 'detector_in_scope':
      return rule.folder === null
        ? sql`a.scope_id = ${rule.scopeId}`
        : sql`a.scope_id = ${rule.scopeId} and starts_with(a.path, ${`${rule.folder}/`})`;
    case 'template':
      return sql`a.asset_id in (
        select b.asset_id from sketch_bands b where b.tenant_id = a.tenant_id and b.band = any(${rule.bands}::integer[]))`;
    case 'value':
      return sql`true`;
  }
}

/** Condition on `asset_features f`: it holds the fingerprint of a rule about a value. */
const holdsValue = (rule: Suppression): Statement =>
  rule.kind === 'value'
    ? sql`coalesce(jsonb_exists(f.features #> array['fingerprints', ${rule.detectorId}], ${rule.fingerprint}), false)`
    : sql`true`;
