import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { visibleAsset } from '../authz/visibility.sql.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { FENCE, unpeeked } from '../db/plan-hints.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { idsUpTo } from '../kernel/list.ts';
import { SEVERITIES } from '../kernel/vocabulary.ts';
import { FINDING_STATUSES } from './next-status.ts';
import { DUE_AFTER_DAYS, PROPOSED_KINDS } from './remedy.ts';
import { requiredLabel } from './required-label.sql.ts';
import { FINDING_KINDS } from './risk.ts';

const Id = z.string().max(64);

/** Without `status`, all findings that are not resolved. `all` includes the resolved ones. */
const FindingStatusFilterSchema = z.enum([...FINDING_STATUSES, 'all']);
export type AskedStatus = z.infer<typeof FindingStatusFilterSchema> | undefined;

/** The list, its facets, its groups by asset and its export have the same filter. */
export const FindingFilterSchema = z.strictObject({
  status: FindingStatusFilterSchema.optional(),
  kind: z.enum(FINDING_KINDS).optional(),
  severity: z.enum(SEVERITIES).optional(),
  actionKind: z
    .enum(PROPOSED_KINDS)
    .optional()
    .describe('The kind of action that helps, even if the caller may not draft it'),
  domainId: Id.optional(),
  ownerId: Id.optional().describe('A person: findings of the domains that they own'),
  assetId: Id.optional().describe('Findings on this asset alone'),
  ids: idsUpTo(200).optional().describe('Ids of at most 200 findings, separated by commas'),
});
export type FindingFilter = z.infer<typeof FindingFilterSchema>;

/** Orders of the list. A minus: the most severe or latest first. `due`: what is due first, then what is resolved. */
export const FINDING_SORTS = ['-severity', '-opened', 'opened', '-changed', 'changed', 'due'] as const;
export type FindingSort = (typeof FINDING_SORTS)[number];

/** For a reader of the whole tenant, conditions that no index answers are applied to so many, the most severe first. */
export const FINDINGS_LOOKED_AT = 5_000;

/** Order of `findings f`: the most severe first, then the newest. */
export const findingOrder = sql`f.severity_rank desc, f.opened_at desc, f.finding_id desc`;

const HOURS_OF_DAY = 24;
const dueAfter = SEVERITIES.map(
  (severity) =>
    sql`when f.severity = ${severity} then make_interval(hours => ${sql.whole(HOURS_OF_DAY * DUE_AFTER_DAYS[severity])})`,
).reduce((all, each) => sql`${all} ${each}`);

const ORDERS: Readonly<Record<FindingSort, Statement>> = {
  '-severity': findingOrder,
  '-opened': sql`f.opened_at desc, f.finding_id desc`,
  opened: sql`f.opened_at, f.finding_id`,
  '-changed': sql`f.changed_at desc, f.finding_id desc`,
  changed: sql`f.changed_at, f.finding_id`,
  due: sql`case when f.status <> 'resolved' then coalesce(f.returned_at, f.opened_at) + case ${dueAfter} end end, f.finding_id`,
};
export const orderOf = (sort: FindingSort): Statement => ORDERS[sort];

/** The kind of action that helps against `findings f`. Null if none does. */
export const actionKindOf = (tx: Tx): Statement => sql`
  case when f.status = 'resolved' or f.kind = 'no_owner' then null
       when f.kind = 'label' and exists (${requiredLabel(tx)}) then 'sensitivity_label_set' else 'internal_task' end`;

/**
 * `findings f` that a reader may see, with at least the status that is asked for. For a reader of some domains,
 * unresolved findings are found through the assets of those domains that have open ones, so that the cost depends on
 * the size of the domains and not of the tenant. Resolved findings, also those of deleted assets, are checked one by
 * one for a tie of their asset to a domain.
 */
export const visibleFindings = (tx: Tx, visibility: Visibility, status: AskedStatus): Statement =>
  visibility.kind === 'tenant' || status === 'resolved' || status === 'all'
    ? visibleOf(sql`findings f`, visibility)
    : sql`(select distinct p.asset_id from asset_placements p
            where p.tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`p.domain_id`)}
              and p.firmest and p.open_findings > 0) p
          cross join lateral (
            select * from findings f
             where f.tenant_id = ${unpeeked(tx.tenantId)} and f.asset_id = p.asset_id ${FENCE}) f`;

/** Those of `findings f` that a reader may see, checked one by one. */
const visibleOf = (findings: Statement, visibility: Visibility): Statement => sql`
  (select f.* from ${findings} cross join lateral (select f.tenant_id, f.asset_id) a
    where ${visibleAsset(visibility)}) f`;

/** The same for a filter. Findings that it names, or whose asset it names, are looked up by id. */
function findingsFor(tx: Tx, visibility: Visibility, { status, assetId, ids }: FindingFilter): Statement {
  const tenant = sql`tenant_id = ${unpeeked(tx.tenantId)}`;
  if (ids !== undefined) {
    const named = sql`select * from findings where ${tenant} and finding_id = named.id ${FENCE}`;
    return visibleOf(sql`unnest(${unpeeked(ids)}) as named (id) cross join lateral (${named}) f`, visibility);
  }
  return assetId === undefined
    ? visibleFindings(tx, visibility, status)
    : visibleOf(
        sql`(select * from findings where ${tenant} and asset_id = ${unpeeked(assetId)} ${FENCE}) f`,
        visibility,
      );
}

/** Condition on `findings f`: it has the status and the severity that the filter asks for. Indexes answer it. */
const indexedConditions = (tx: Tx, { status, severity }: FindingFilter): Statement => sql`
  f.tenant_id = ${tx.tenantId}
  and ${status === undefined ? sql`f.status <> 'resolved'` : status === 'all' ? sql`true` : sql`f.status = ${status}`}
  and ${severity === undefined ? sql`true` : sql`f.severity_rank = ${SEVERITIES.indexOf(severity)}`}`;

/** Condition on `findings f` for the members that no index answers. Null if the filter has none. */
function otherConditions(tx: Tx, { kind, actionKind, assetId, ids }: FindingFilter): Statement | null {
  if ([kind, actionKind, assetId, ids].every((member) => member === undefined)) return null;
  return sql`
    ${kind === undefined ? sql`true` : sql`f.kind = ${kind}`}
    and ${assetId === undefined ? sql`true` : sql`f.asset_id = ${unpeeked(assetId)}`}
    and ${ids === undefined ? sql`true` : sql`f.finding_id = any(${unpeeked(ids)})`}
    and ${actionKind === undefined ? sql`true` : sql`${actionKindOf(tx)} = ${actionKind}`}`;
}

/** Condition on `findings f`, apart from who may see it. */
export const meetsFilter = (tx: Tx, filter: FindingFilter): Statement =>
  sql`${indexedConditions(tx, filter)} and ${otherConditions(tx, filter) ?? sql`true`}`;

/** Whether the filter is a status or nothing, so that connections keep their statements. */
export const isByStatus = ({ status: _, ...others }: FindingFilter): boolean =>
  Object.values(others).every((member) => member === undefined);

/**
 * Whether conditions that no index answers are applied to the most severe findings alone. Only for a reader of the whole
 * tenant: what an owner is shown would otherwise depend on what other domains have.
 */
export const isLookedThrough = (tx: Tx, visibility: Visibility, filter: FindingFilter): boolean =>
  visibility.kind === 'tenant' &&
  filter.ids === undefined &&
  filter.assetId === undefined &&
  otherConditions(tx, filter) !== null;

/** Selects `findings f` that meet what indexes answer, the most severe first; at most `most`. */
export const mostSevere = (
  tx: Tx,
  visibility: Visibility,
  filter: FindingFilter,
  most: number,
): Statement => sql`
  select f.* from ${findingsFor(tx, visibility, filter)}
   where ${indexedConditions(tx, filter)} order by ${findingOrder} limit ${sql.whole(most)}`;

/**
 * Selects `findings f` that a reader may see under a filter.
 * @param visibility within the domains that the filter asks for
 * @param among so many of the most severe are looked at. Null: all
 */
export const foundFindings = (
  tx: Tx,
  visibility: Visibility,
  filter: FindingFilter,
  among: number | null,
): Statement =>
  among === null
    ? sql`select f.* from ${findingsFor(tx, visibility, filter)} where ${meetsFilter(tx, filter)}`
    : sql`select f.* from (${mostSevere(tx, visibility, filter, among)}) f where ${otherConditions(tx, filter) ?? sql`true`}`;
