import { z } from 'zod';
import { assetById } from '../authz/asset-by-id.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinAskedDomains } from '../governance/asked-domains.ts';
import { MAX_COUNTED, type Total, totalOf } from '../kernel/list.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';
import { countFindings } from './finding-counts.sql.ts';
import {
  FINDINGS_LOOKED_AT,
  type FindingFilter,
  type FindingSort,
  findingOrder,
  foundFindings,
  isByStatus,
  isLookedThrough,
  orderOf,
} from './finding-filter.sql.ts';
import { InaccessibleSchema, inaccessibleOf } from './inaccessible-scope.sql.ts';
import { FINDING_STATUSES } from './next-status.ts';
import { FINDING_KINDS } from './risk.ts';

const Timestamp = z.iso.datetime();

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
    .describe(
      'Null unless it is resolved. `scope_gone`: the whole scope ended, gone from the source or no longer selected',
    ),
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

export const shownFinding = <T extends Finding>(row: FindingRow<T>) => ({
  ...row,
  openedAt: row.openedAt.toISOString(),
  changedAt: row.changedAt.toISOString(),
  resolvedAt: row.resolvedAt?.toISOString() ?? null,
  acknowledgedAt: row.acknowledgedAt?.toISOString() ?? null,
});

/**
 * Findings on assets that the reader may see, the most severe first unless another order is asked for; at most `limit`.
 * Those of a reader of some domains are all read to be sorted, and counted as they are read. `look` is as `foundFindings`
 * takes it.
 */
export async function listFindings(
  tx: Tx,
  visibility: Visibility,
  filter: FindingFilter,
  limit: number,
  { sort = '-severity', look = FINDINGS_LOOKED_AT }: { sort?: FindingSort; look?: number } = {},
): Promise<{ findings: ListedFinding[]; counted: Total }> {
  const seen = await withinAskedDomains(tx, visibility, filter);
  const isSorted = sort !== '-severity' && seen.kind === 'tenant';
  const among = isLookedThrough(tx, seen, filter) ? look : isSorted ? MAX_COUNTED : null;
  const found = foundFindings(tx, seen, filter, among);
  const met = seen.kind === 'domains' ? sql`count(*) over ()` : null;
  const statement = detailsOf(tx, found, { order: orderOf(sort), limit, met });
  const isUsual = isByStatus(filter) && sort === '-severity';
  const rows = await tx.query<Met>(isUsual ? statement : sql.unprepared(statement));
  return {
    findings: shownRows(rows),
    counted:
      met === null ? await countFindings(tx, visibility, filter, { look }) : totalOf(rows[0]?.met ?? 0),
  };
}

/**
 * The same findings ordered by id, beginning after `afterId`. The order never changes, so a reader who pages through
 * it meets each finding exactly once.
 */
export async function findingsAfter(
  tx: Tx,
  visibility: Visibility,
  filter: FindingFilter,
  afterId: string,
  limit: number,
): Promise<ListedFinding[]> {
  const seen = await withinAskedDomains(tx, visibility, filter);
  const beyond = sql`${foundFindings(tx, seen, filter, null)} and f.finding_id > ${afterId}`;
  const statement = detailsOf(tx, beyond, { order: sql`f.finding_id`, limit, met: null });
  return shownRows(await tx.query<Met>(isByStatus(filter) ? statement : sql.unprepared(statement)));
}

/** A row with the number of all that were found, if it was asked for. */
type Met = FindingRow<ListedFinding> & { met: number | null };

/** Selects the findings first, so that only the returned rows are joined with their assets. */
const detailsOf = (
  tx: Tx,
  found: Statement,
  { order, limit, met }: { order: Statement; limit: number; met: Statement | null },
): Statement => sql`
  select ${findingColumns}, ${placeColumns}, f.met
    from (select f.*, (${met ?? sql`null`})::int as met from (${found}) f order by ${order} limit ${limit}) f
    cross join lateral ${assetById(tx, sql`f.asset_id`)}
    left join scopes s on s.tenant_id = f.tenant_id and s.scope_id = a.scope_id
   order by ${order}`;

const shownRows = (rows: readonly Met[]): ListedFinding[] =>
  rows.map(({ met: _, ...row }) => shownFinding<ListedFinding>(row));

/**
 * All findings on one asset, the most severe first. The caller must have checked that the reader may see the asset.
 */
export async function findingsOf(tx: Tx, assetId: string): Promise<Finding[]> {
  const rows = await tx.query<FindingRow<Finding>>(sql`
    select ${findingColumns} from findings f
     where f.tenant_id = ${tx.tenantId} and f.asset_id = ${assetId} order by ${findingOrder}`);
  return rows.map((row) => shownFinding(row));
}
