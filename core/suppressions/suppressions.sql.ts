import type { Visibility } from '../authz/principal.ts';
import { visibleAsset, visibleScope } from '../authz/visibility.sql.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import type { PrincipalId, TenantId } from '../kernel/ids.ts';
import type { Suppression } from '../signals/suppression.ts';
import type { ShownSuppression } from './suppression-schema.ts';
import type { SuppressionStatus } from './suppression-states.ts';

const instant = (column: Statement) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Of `suppressions r`. A place and an example are shown only to readers who may see them. Versions count the changes of
 * the rule itself: those of the tenant's set would reveal rules of other domains.
 */
const columns = (visibility: Visibility) => sql`
  r.suppression_id as "suppressionId", r.kind, r.detector_id as "detectorId", r.domain_id as "domainId",
  s.scope_id as "scopeId", case when s.scope_id is not null then r.folder end as folder,
  (select a.asset_id from assets a
    where a.tenant_id = r.tenant_id and a.asset_id = r.example_asset_id and ${visibleAsset(visibility)}) as "exampleAssetId",
  r.reason, r.status, r.needs_approval as "needsApproval", r.proposed_by as "proposedBy",
  ${instant(sql`r.proposed_at`)} as "proposedAt", ${instant(sql`r.expires_at`)} as "expiresAt",
  r.decided_by as "decidedBy", ${instant(sql`r.decided_at`)} as "decidedAt", r.ended_by as "endedBy",
  ${instant(sql`r.ended_at`)} as "endedAt",
  case when r.from_version is not null then 1 end as "fromVersion",
  case when r.until_version is not null then 2 end as "untilVersion"`;

const rules = (visibility: Visibility) => sql`
  suppressions r left join scopes s
    on s.tenant_id = r.tenant_id and s.scope_id = r.scope_id and ${visibleScope(visibility)}`;

/** The rules of the reader's domains, or of the tenant, the newest first; at most `limit`. */
export const listSuppressions = (
  tx: Tx,
  visibility: Visibility,
  { status, limit }: { status: SuppressionStatus | null; limit: number },
): Promise<ShownSuppression[]> =>
  tx.query<ShownSuppression>(sql`
    select ${columns(visibility)} from ${rules(visibility)}
     where r.tenant_id = ${tx.tenantId} and (${status}::text is null or r.status = ${status})
       and ${withinDomains(visibility, sql`r.domain_id`)}
     order by r.proposed_at desc, r.suppression_id desc limit ${limit}`);

/** Null if there is no such rule, or the reader may not see it. `locked`: until the transaction ends. */
export async function findSuppression(
  tx: Tx,
  visibility: Visibility,
  suppressionId: string,
  { locked }: { locked: boolean },
): Promise<ShownSuppression | null> {
  const [row] = await tx.query<ShownSuppression>(sql`
    select ${columns(visibility)} from ${rules(visibility)}
     where r.tenant_id = ${tx.tenantId} and r.suppression_id = ${suppressionId}
       and ${withinDomains(visibility, sql`r.domain_id`)} ${locked ? sql`for no key update of r` : sql``}`);
  return row ?? null;
}

/** The number of rules that are proposed or active. Others who add one wait until the transaction ends. */
export async function countOpen(tx: Tx): Promise<number> {
  const [, [row]] = await Promise.all([
    tx.query(sql`select pg_advisory_xact_lock(hashtextextended('suppressions ' || ${tx.tenantId}::text, 0))`),
    tx.query<{ open: number }>(sql`
      select count(*)::int as open from suppressions
       where tenant_id = ${tx.tenantId} and status in ('proposed', 'active')`),
  ]);
  return row?.open ?? 0;
}

export type NewSuppression = {
  rule: Suppression;
  exampleAssetId: string | null;
  reason: string;
  needsApproval: boolean;
  proposedBy: PrincipalId;
  expiresAt: Date;
  /** Null if it waits for approval. */
  fromVersion: number | null;
};

/** Stores a rule, proposed or active. Returns false if the same rule is already proposed or active. */
export async function insertSuppression(tx: Tx, added: NewSuppression, now: number): Promise<boolean> {
  const { rule, fromVersion } = added;
  const place = rule.kind === 'detector_in_scope' ? rule : { scopeId: null, folder: null };
  const example = rule.kind === 'template' ? rule : { shingles: null, template: null, bands: null };
  const stored = await tx.execute(sql`
    insert into suppressions (tenant_id, suppression_id, kind, detector_id, domain_id, scope_id, folder,
                              example_asset_id, shingles, template, bands, fingerprint, reason, status,
                              needs_approval, proposed_by, proposed_at, expires_at, from_version)
    values (${tx.tenantId}, ${rule.suppressionId}, ${rule.kind}, ${rule.detectorId}, ${rule.domainId},
            ${place.scopeId}, ${place.folder}, ${added.exampleAssetId}, ${example.shingles}, ${example.template},
            ${example.bands}::integer[], ${rule.kind === 'value' ? rule.fingerprint : null}, ${added.reason},
            ${fromVersion === null ? 'proposed' : 'active'}, ${added.needsApproval}, ${added.proposedBy},
            ${new Date(now)}, ${added.expiresAt}, ${fromVersion})
    on conflict do nothing`);
  return stored === 1;
}

/** The next version of the tenant's set of rules. It locks the set until the transaction ends. */
export async function nextVersion(tx: Tx): Promise<number> {
  const [set] = await tx.query<{ version: number }>(sql`
    insert into suppression_sets as s (tenant_id, version) values (${tx.tenantId}, 1)
    on conflict (tenant_id) do update set version = s.version + 1
    returning version`);
  return set?.version ?? 1;
}

/** @param fromVersion null if the rule is rejected */
export const markDecided = (
  tx: Tx,
  suppressionId: string,
  { by, fromVersion }: { by: PrincipalId; fromVersion: number | null },
  now: number,
): Promise<number> =>
  tx.execute(sql`
    update suppressions
       set status = ${fromVersion === null ? 'rejected' : 'active'}, decided_by = ${by}, decided_at = ${new Date(now)},
           from_version = ${fromVersion}
     where tenant_id = ${tx.tenantId} and suppression_id = ${suppressionId}`);

/** Ends rules. `untilVersion` counts for those that were in force. */
export const markEnded = (
  tx: Tx,
  suppressionIds: readonly string[],
  {
    status,
    by,
    untilVersion,
  }: { status: 'revoked' | 'expired'; by: PrincipalId | null; untilVersion: number | null },
  now: number,
): Promise<number> =>
  tx.execute(sql`
    update suppressions
       set status = ${status}, ended_by = ${by}, ended_at = ${new Date(now)},
           until_version = case when from_version is not null then ${untilVersion}::integer end
     where tenant_id = ${tx.tenantId} and suppression_id = any(${suppressionIds}::text[])`);

const isDue = (now: number) => sql`status in ('proposed', 'active') and expires_at <= ${new Date(now)}`;

export async function tenantsWithExpired(tx: EngineTx, now: number): Promise<TenantId[]> {
  const rows = await tx.query<{ tenantId: TenantId }>(sql`
    select distinct tenant_id as "tenantId" from suppressions where ${isDue(now)} order by 1`);
  return rows.map(({ tenantId }) => tenantId);
}

/** Locks rules whose time is over, except those that others have locked; at most `limit`. */
export const lockExpired = (
  tx: Tx,
  now: number,
  limit: number,
): Promise<Pick<ShownSuppression, 'suppressionId' | 'status'>[]> =>
  tx.query(sql`
    select suppression_id as "suppressionId", status from suppressions
     where tenant_id = ${tx.tenantId} and ${isDue(now)}
     order by expires_at, suppression_id limit ${limit} for no key update skip locked`);

export async function isVisibleScope(tx: Tx, visibility: Visibility, scopeId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from scopes s
     where s.tenant_id = ${tx.tenantId} and s.scope_id = ${scopeId} and ${visibleScope(visibility)}`);
  return rows.length > 0;
}

/** What documents of an asset's template are recognised by. Null if its text is too short, or was not read. */
export async function sketchOf(
  tx: Tx,
  assetId: string,
): Promise<{ shingles: Uint8Array | null; template: Uint8Array | null; bands: number[] } | null> {
  const [row] = await tx.query<{
    shingles: Uint8Array | null;
    template: Uint8Array | null;
    bands: number[];
  }>(sql`
    select shingles, template, bands from asset_sketches
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId} and num_nonnulls(shingles, template) > 0`);
  return row ?? null;
}
