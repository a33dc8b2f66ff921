import type { Visibility } from '../authz/principal.ts';
import { visibleAsset } from '../authz/visibility.sql.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { FEATURE_VERSION } from '../inference/features.ts';
import type { Severity } from '../kernel/vocabulary.ts';
import type { SuppressedSignal, Suppression } from '../signals/suppression.ts';

/** Runs `fn`, and undoes everything that it has written. */
export async function rolledBack<T>(tx: Tx, fn: () => Promise<T>): Promise<T> {
  await tx.execute(sql`savepoint dry_run`);
  const result = await fn();
  await tx.execute(sql`rollback to savepoint dry_run`);
  return result;
}

/** What a rule may change of some assets: the open findings and the questions that wait. */
export type OpenWork = {
  findings: ReadonlyMap<string, Severity>;
  candidates: ReadonlyMap<string, string>;
};

/** Reads the open findings and questions of assets. Candidates of domains that the reader may not see are left out. */
export async function openWorkOf(
  tx: Tx,
  assetIds: readonly string[],
  visibility: Visibility,
): Promise<OpenWork> {
  const [findings, candidates] = await Promise.all([
    tx.query<{ key: string; severity: Severity }>(sql`
      select asset_id || ' ' || kind as key, severity from findings
       where tenant_id = ${tx.tenantId} and asset_id = any(${assetIds}::text[]) and status <> 'resolved'`),
    tx.query<{ key: string; band: string }>(sql`
      select asset_id || ' ' || domain_id || ' ' || coalesce(information_type_id, '') as key, band from candidates
       where tenant_id = ${tx.tenantId} and asset_id = any(${assetIds}::text[]) and status in ('pending', 'deferred')
         and ${withinDomains(visibility, sql`domain_id`)}`),
  ]);
  return {
    findings: new Map(findings.map(({ key, severity }) => [key, severity])),
    candidates: new Map(candidates.map(({ key, band }) => [key, band])),
  };
}

/** What a rule has taken of the signals of assets, one list for each asset that it has changed. */
export async function takenBy(
  tx: Tx,
  assetIds: readonly string[],
  suppressionId: string,
): Promise<SuppressedSignal[][]> {
  const rows = await tx.query<{ suppressed: SuppressedSignal[] }>(sql`
    select suppressed from asset_suppressions
     where tenant_id = ${tx.tenantId} and asset_id = any(${assetIds}::text[])`);
  return rows
    .map(({ suppressed }) => suppressed.filter((each) => each.suppressionId === suppressionId))
    .filter((taken) => taken.length > 0);
}

/**
 * The number of visible assets with finds of the rule's detector whose features are of a release before, or lack the
 * fingerprints that the rule needs; at most `limit`.
 */
export async function countToScanAgain(
  tx: Tx,
  rule: Suppression,
  visibility: Visibility,
  limit: number,
): Promise<number> {
  const [row] = await tx.query<{ assets: number }>(sql`
    select count(*)::int as assets from (
      select from assets a join asset_features f on f.tenant_id = a.tenant_id and f.asset_id = a.asset_id
       where a.tenant_id = ${tx.tenantId} and a.status = 'active'
         and f.signal_kinds @> array[${rule.detectorId}]::text[]
         and ((f.features -> 'featureVersion') <> to_jsonb(${FEATURE_VERSION}::int)
              or (${rule.kind === 'value'} and not jsonb_exists(f.features, 'fingerprints')))
         and ${visibleAsset(visibility)}
       limit ${limit}) a`);
  return row?.assets ?? 0;
}
