import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';
import { assetById } from '../visibility/asset-by-id.sql.ts';
import { visibleAsset } from '../visibility/visibility.sql.ts';
import { withinDomains } from '../visibility/within-domains.sql.ts';
import { InaccessibleSchema, inaccessibleOf } from './inaccessible-scope.sql.ts';
import { FINDING_STATUSES } from './next-standing.ts';
import { FINDING_KINDS } from './risk.ts';

const Timestamp = z.iso.datetime();

/** Without `status`, all findings that are not resolved. `all` includes the resolved ones. */
export const FindingFilterSchema = z.strictObject({
  status: z.enum([...FINDING_STATUSES, 'all']).optional(),
});
export type AskedStatus = z.infer<typeof FindingFilterSchema>['status'];

/**
 * A finding as the detail of its asset shows it. `changedAt` is the time of the last change of its status, severity
 * or notes. The fields `acknowledgedBy`, `acknowledgedAt` and `acknowledgeNote` are null unless it is acknowledged.
 */
export const FindingSchema = z.object({
  findingId: z.string(),
  kind: z.enum(FINDING_KINDS),
  severity: z.enum(SEVERITIES),
  status: z.enum(FINDING_STATUSES),
  notes: z.string(),
  policyVersion: z.string(),
  openedAt: Timestamp,
  changedAt: Timestamp,
  resolvedAt: Timestamp.nullable(),
  revision: z.int(),
  acknowledgedBy: z.string().nullable(),
  acknowledgedAt: Timestamp.nullable(),
  acknowledgeNote: z.string().nullable(),
  /** The answer that acknowledged it. Null if a person acknowledged it directly, or nobody did. */
  acknowledgedDecisionId: z.string().nullable(),
});
export type Finding = z.infer<typeof FindingSchema>;

export const ListedFindingSchema = FindingSchema.extend({
  assetId: z.string(),
  assetName: z.string(),
  scopeId: z.string(),
  scopeName: z.string(),
  scopeInaccessible: InaccessibleSchema.nullable(),
  resolvedBecause: z
    .enum(['risk_gone', 'asset_deleted', 'scope_gone'])
    .nullable()
    .describe('Null unless it is resolved. `scope_gone`: the source no longer has the whole scope'),
});
export type ListedFinding = z.infer<typeof ListedFindingSchema>;

/** A row of `findingColumns`. */
export type FindingRow<T extends Finding> = Omit<
  T,
  'openedAt' | 'changedAt' | 'resolvedAt' | 'acknowledgedAt'
> & {
  openedAt: Date;
  changedAt: Date;
  resolvedAt: Date | null;
  acknowledgedAt: Date | null;
};

/** The columns of `findings f` that `Finding` shows. */
export const findingColumns = sql`
  f.finding_id as "findingId", f.kind, f.severity, f.status, f.notes, f.policy_version as "policyVersion",
  f.opened_at as "openedAt", f.changed_at as "changedAt", f.resolved_at as "resolvedAt", f.revision,
  f.acknowledged_by as "acknowledgedBy", f.acknowledged_at as "acknowledgedAt", f.acknowledge_note as "acknowledgeNote",
  f.acknowledged_decision_id as "acknowledgedDecisionId"`;

/** The columns of `findings f`, its asset `a` and its scope `s` that `ListedFinding` adds. */
export const placeColumns = sql`
  a.asset_id as "assetId", a.name as "assetName", s.scope_id as "scopeId", s.name as "scopeName",
  ${inaccessibleOf(sql`s`)} as "scopeInaccessible",
  case when f.status <> 'resolved' then null when a.status <> 'deleted' then 'risk_gone'
       when a.deleted_at = s.ended_at then 'scope_gone' else 'asset_deleted' end as "resolvedBecause"`;

/** Order of `findings f`: the most severe first, then the newest. */
export const findingOrder = sql`f.severity_rank desc, f.opened_at desc, f.finding_id desc`;

export const shownFinding = <T extends Finding>(row: FindingRow<T>) => ({
  ...row,
  openedAt: row.openedAt.toISOString(),
  changedAt: row.changedAt.toISOString(),
  resolvedAt: row.resolvedAt?.toISOString() ?? null,
  acknowledgedAt: row.acknowledgedAt?.toISOString() ?? null,
});

/**
 * `findings f` that a reader may see, with at least the status that is asked for. For a reader of some domains,
 * unresolved findings are found through the assets of those domains that have open ones, so that the cost depends on
 * the size of the domains and not of the tenant. Resolved findings, also those of deleted assets, are checked one by
 * one for a tie of their asset to a domain.
 */
export const visibleFindings = (tx: Tx, visibility: Visibility, status: AskedStatus): Statement =>
  visibility.kind === 'tenant' || status === 'resolved' || status === 'all'
    ? sql`(select f.* from findings f cross join lateral (select f.tenant_id, f.asset_id) a
            where ${visibleAsset(visibility)}) f`
    : sql`(select distinct p.asset_id from asset_placements p
            where p.tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`p.domain_id`)}
              and p.firmest and p.open_findings > 0) p
          cross join lateral (
            select * from findings f
             where f.tenant_id = ${unpeeked(tx.tenantId)} and f.asset_id = p.asset_id ${FENCE}) f`;

/** Condition on `findings f`: it has the status that the filter asks for. */
export const askedFindings = (status: AskedStatus): Statement =>
  status === undefined
    ? sql`f.status <> 'resolved'`
    : status === 'all'
      ? sql`true`
      : sql`f.status = ${status}`;

/** Findings on assets that the reader may see, the most severe first, then the newest; at most `limit`. */
export const listFindings = (tx: Tx, visibility: Visibility, status: AskedStatus, limit: number) =>
  readFindings(tx, visibility, status, { beyond: sql`true`, order: findingOrder, limit });

/**
 * The same findings ordered by id, beginning after `afterId`. The order never changes, so a reader who pages through
 * it meets each finding exactly once.
 */
export const findingsAfter = (
  tx: Tx,
  visibility: Visibility,
  status: AskedStatus,
  afterId: string,
  limit: number,
) =>
  readFindings(tx, visibility, status, {
    beyond: sql`f.finding_id > ${afterId}`,
    order: sql`f.finding_id`,
    limit,
  });

async function readFindings(
  tx: Tx,
  visibility: Visibility,
  status: AskedStatus,
  page: { beyond: Statement; order: Statement; limit: number },
): Promise<ListedFinding[]> {
  // Selects the findings first, so that only the returned rows are joined with their assets.
  const rows = await tx.query<FindingRow<ListedFinding>>(sql`
    select ${findingColumns}, ${placeColumns}
      from (
        select f.* from ${visibleFindings(tx, visibility, status)}
         where f.tenant_id = ${tx.tenantId} and ${askedFindings(status)} and ${page.beyond}
         order by ${page.order} limit ${page.limit}
      ) f
      cross join lateral ${assetById(tx, sql`f.asset_id`)}
      left join scopes s on s.tenant_id = f.tenant_id and s.scope_id = a.scope_id
     order by ${page.order}`);
  return rows.map((row) => shownFinding(row));
}

/**
 * All findings on one asset, the most severe first. The caller must have checked that the reader may see the asset.
 */
export async function findingsOf(tx: Tx, assetId: string): Promise<Finding[]> {
  const rows = await tx.query<FindingRow<Finding>>(sql`
    select ${findingColumns} from findings f
     where f.tenant_id = ${tx.tenantId} and f.asset_id = ${assetId} order by ${findingOrder}`);
  return rows.map((row) => shownFinding(row));
}
