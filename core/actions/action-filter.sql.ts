import { z } from 'zod';
import { type ListReader, visibleAction } from '../authz/action-visibility.sql.ts';
import { equal } from '../db/filter.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { withinAskedDomains } from '../governance/asked-domains.ts';
import { idsUpTo } from '../kernel/list.ts';
import { ACTION_STATUSES } from '../kernel/vocabulary.ts';
import { ACTION_KINDS } from './action-schema.ts';
import { AUTHORING_TRIGGERS } from './action-states.ts';

const Id = z.string().max(64);

/** The list, its facets and its export have the same filter. */
export const ActionFilterSchema = z.strictObject({
  status: z.enum(ACTION_STATUSES).optional(),
  kind: z.enum(ACTION_KINDS).optional(),
  mine: z
    .enum(['requested', 'to_approve'])
    .optional()
    .describe('`requested`: by the caller. `to_approve`: the caller may approve or reject it now'),
  targetAssetId: Id.optional().describe('Actions on this asset alone'),
  domainId: Id.optional(),
  ids: idsUpTo(200).optional().describe('Ids of at most 200 actions, separated by commas'),
});
export type ActionFilter = z.infer<typeof ActionFilterSchema>;

/** Orders of the lists of actions and tasks. A minus: the latest first. */
export const ACTION_SORTS = ['-created', 'created', '-changed', 'changed'] as const;
export type ActionSort = (typeof ACTION_SORTS)[number];

/** The orders of a list, by the times and the id of its rows. */
export function orderedBy(created: Statement, changed: Statement, id: Statement) {
  const orders: Readonly<Record<ActionSort, Statement>> = {
    '-created': sql`${created} desc, ${id} desc`,
    created: sql`${created}, ${id}`,
    '-changed': sql`${changed} desc, ${id} desc`,
    changed: sql`${changed}, ${id}`,
  };
  return (sort: ActionSort): Statement => orders[sort];
}
export const actionOrder = orderedBy(sql`a.created_at`, sql`a.updated_at`, sql`a.action_id`);

/** Condition on `actions a`: the reader may decide on it now. The authors of an action may not. */
const awaits = ({ principalId, isApprover }: ListReader): Statement =>
  isApprover
    ? sql`a.status = 'awaiting_approval' and not exists (
        select from action_transitions h
         where h.tenant_id = a.tenant_id and h.action_id = a.action_id and h.principal_id = ${principalId}
           and h.trigger = any(${[...AUTHORING_TRIGGERS]}::text[]))`
    : sql`false`;

/** Selects `actions a` that the reader may see under a filter. */
export async function foundActions(tx: Tx, reader: ListReader, filter: ActionFilter): Promise<Statement> {
  const { status, kind, mine, targetAssetId, ids } = filter;
  const seen = await withinAskedDomains(tx, reader.actions, filter);
  return sql`
    select a.* from actions a
     where a.tenant_id = ${tx.tenantId} and ${visibleAction(seen)} and ${equal(sql`a.status`, status)}
       and ${equal(sql`a.kind`, kind)} and ${equal(sql`a.target_asset_id`, targetAssetId)}
       and ${ids === undefined ? sql`true` : sql`a.action_id = any(${ids}::text[])`}
       and ${mine === 'to_approve' ? awaits(reader) : equal(sql`a.requested_by`, mine && reader.principalId)}`;
}

/** The statement, kept by connections only for the list without a filter. */
export const preparedFor = (filter: object, statement: Statement): Statement =>
  Object.values(filter).every((member) => member === undefined) ? statement : sql.unprepared(statement);
