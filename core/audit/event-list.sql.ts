import { z } from 'zod';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { MAX_COUNTED, type Total } from '../kernel/list.ts';
import { AUDIT_CATEGORIES } from './event.ts';
import { type AuditEvent, shownEvent } from './read.sql.ts';

/** The list and its export as a table have the same filter. */
export const AuditFilterSchema = z.strictObject({
  category: z.enum(AUDIT_CATEGORIES).optional(),
  type: z.string().max(64).optional().describe('Events of this type alone, such as `authorization_denied`'),
  principalId: z.string().max(64).optional().describe('What this person or application did'),
  targetKind: z
    .string()
    .max(64)
    .optional()
    .describe('Events about things of this kind alone, such as `asset`'),
  targetId: z.string().max(120).optional().describe('Events about the thing with this id alone'),
  from: z.iso.datetime().optional().describe('Events at or after this time'),
  before: z.iso.datetime().optional().describe('Events before this time'),
});
export type AuditFilter = z.infer<typeof AuditFilterSchema>;

/** Orders of the list. `-at`: the newest first. */
export const AUDIT_SORTS = ['-at', 'at'] as const;
type AuditSort = (typeof AUDIT_SORTS)[number];
type Walk = { sort?: AuditSort; look?: number };

/** For conditions that no index answers, this many of the first events are looked at. */
const LOOKED_AT = 50_000;

/** Events are stored in the order of their times, but for as long as a request takes or clocks differ. */
const LATE_MS = 10 * 60_000;

/** Events of the tenant under a filter, at most `limit`. */
export async function listAuditEvents(
  tx: Tx,
  filter: AuditFilter,
  limit: number,
  { sort = '-at', look = LOOKED_AT }: Walk = {},
): Promise<AuditEvent[]> {
  const range = await rangeOf(tx, filter);
  const own = conditionsOf(filter);
  const rows = await tx.query<{ record: string; hash: string }>(sql`
    select record, hash
      from (select seq, record, hash from audit_events where ${range}
             ${inOrder(sort)} limit ${own === null ? limit : look}) looked
     where ${own ?? sql`true`}
     ${inOrder(sort)} limit ${limit}`);
  return rows.map(shownEvent);
}

/** How many there are. At most `look` are looked at, if no index answers the filter. */
export async function countAuditEvents(
  tx: Tx,
  filter: AuditFilter,
  { sort = '-at', look = LOOKED_AT }: Walk = {},
): Promise<Total> {
  const range = await rangeOf(tx, filter);
  const own = conditionsOf(filter);
  const most = own === null ? MAX_COUNTED : look;
  const [row] = await tx.query<{ looked: number; met: number }>(sql`
    select count(*)::int as looked, (count(*) filter (where ${own ?? sql`true`} and nth <= ${most}))::int as met
      from (select ${own === null ? sql`` : sql`record,`} row_number() over () as nth
              from (select ${own === null ? sql`seq` : sql`record`} from audit_events where ${range}
                     ${inOrder(sort)} limit ${most + 1}) first) looked`);
  const { looked, met } = row ?? { looked: 0, met: 0 };
  return { total: Math.min(met, MAX_COUNTED), totalIsExact: looked <= most && met <= MAX_COUNTED };
}

const inOrder = (sort: AuditSort): Statement => (sort === 'at' ? sql`order by seq` : sql`order by seq desc`);

/** The conditions that an index answers: the category, and the part of the chain with events of about the time. */
async function rangeOf(tx: Tx, { category, from, before }: AuditFilter): Promise<Statement> {
  const first = from === undefined ? null : await lastSeqBefore(tx, Date.parse(from) - LATE_MS);
  const last = before === undefined ? null : await lastSeqBefore(tx, Date.parse(before) + LATE_MS);
  return sql`
    tenant_id = ${tx.tenantId} and ${category === undefined ? sql`true` : sql`category = ${category}`}
    and ${first === null ? sql`true` : sql`seq > ${first}`} and ${last === null ? sql`true` : sql`seq <= ${last}`}`;
}

/** The last number of the chain whose event was before a time, if each event was stored at its time. By bisection. */
async function lastSeqBefore(tx: Tx, at: number): Promise<number> {
  const [row] = await tx.query<{ seq: number }>(sql`
    with recursive bisection (low, high) as (
      select 0::bigint, coalesce((select max(seq) from audit_events where tenant_id = ${tx.tenantId}), 0)
      union all
      select case when e.is_before then middle else low end, case when e.is_before then high else middle - 1 end
        from (select low, high, (low + high + 1) / 2 as middle from bisection where low < high) b
        cross join lateral (
          select coalesce((
            select ${timeOf(sql`record`)} < ${isoTime(at)} from audit_events
             where tenant_id = ${tx.tenantId} and seq <= middle order by seq desc limit 1), true) as is_before) e
    )
    select low::int8 as seq from bisection where low >= high`);
  return row?.seq ?? 0;
}

/**
 * Conditions on the text of a record, which is several times as fast as parsing it. Its members are in the order of their
 * names and details hold no objects, so each piece that is sought is in one place only. Null if the filter has none.
 */
function conditionsOf(filter: AuditFilter): Statement | null {
  const { type, principalId, targetKind, targetId, from, before } = filter;
  const json = JSON.stringify;
  const conditions = [
    ...(type === undefined ? [] : [endsWith(`,"type":${json(type)}}}`)]),
    ...(principalId === undefined ? [] : [holds(`,"principalId":${json(principalId)},"target":`)]),
    ...(targetId === undefined ? [] : [holds(`,"target":{"id":${json(targetId)},`)]),
    ...(targetKind === undefined ? [] : [holds(`,"kind":${json(targetKind)}},"tenantId":`)]),
    ...(from === undefined ? [] : [sql`${timeOf(sql`record`)} >= ${isoTime(Date.parse(from))}`]),
    ...(before === undefined ? [] : [sql`${timeOf(sql`record`)} < ${isoTime(Date.parse(before))}`]),
  ];
  return conditions.length === 0 ? null : conditions.reduce((all, each) => sql`${all} and ${each}`);
}

const holds = (piece: string): Statement => sql`strpos(record, ${piece}) > 0`;
const endsWith = (piece: string): Statement => sql`right(record, ${[...piece].length}) = ${piece}`;

/** The time of an event, as it is written in its record: the first member of the event. */
const timeOf = (record: Statement): Statement =>
  sql`substr(${record}, strpos(${record}, '"at":"') + 6, 24) collate "C"`;
const isoTime = (at: number): string => new Date(at).toISOString();
