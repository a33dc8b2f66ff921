import { z } from 'zod';
import type { MessageFamily } from '../connectors/message-source.ts';
import { equal } from '../db/filter.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { MAX_COUNTED, type Total, totalOf } from '../kernel/list.ts';
import { MESSAGE_COVERAGES, type ShownContainer } from './message-schema.ts';

export const ContainerFilterSchema = z.strictObject({
  coverage: z.enum(MESSAGE_COVERAGES).optional().describe('Those with this coverage alone'),
});
type ContainerFilter = z.infer<typeof ContainerFilterSchema>;

/** `message_containers c` of a family, also those that a person has left out. Those that are going are not shown. */
export const containersOf = (tx: Tx, family: MessageFamily): Statement =>
  sql`c.tenant_id = ${tx.tenantId} and c.family = ${family} and c.selection <> 'going'`;

const counted = (rows: Statement): Statement =>
  sql`(select count(*)::int from (${rows} limit ${sql.whole(MAX_COUNTED + 1)}) counted)`;

type Row = Omit<ShownContainer, 'audience' | 'lastSyncedAt' | 'dueAt' | 'messagesAreExact'> & {
  members: number | null;
  guests: number | null;
  outsiders: number | null;
  isOpen: boolean | null;
  isComplete: boolean | null;
  coveredAt: Date | null;
  dueAt: Date | null;
};

/** Channels by team and name, or mailboxes by address; at most `limit`. */
export async function listContainers(
  tx: Tx,
  family: MessageFamily,
  { coverage }: ContainerFilter,
  limit: number,
): Promise<ShownContainer[]> {
  const rows = await tx.query<Row>(sql`
    select c.container_id as "containerId", c.name, c.kind, c.group_name as "groupName", c.mode,
           c.selection = 'selected' as selected, c.members, c.guests,
           c.outsiders, c.is_open as "isOpen", c.audience_complete as "isComplete", c.coverage,
           c.refused_reason as "refusedReason", c.covered_at as "coveredAt", c.due_at as "dueAt",
           case when c.kind <> 'mailbox'
             then case when c.files_external_id is null then 'unknown' else 'known' end end as "filesFolder",
           ${counted(sql`
             select from messages m where m.tenant_id = c.tenant_id and m.container_id = c.container_id`)} as messages,
           ${counted(sql`
             select from message_findings f
              where f.tenant_id = c.tenant_id and f.container_id = c.container_id and f.status = 'open'`)} as "openFindings"
      from message_containers c
     where ${containersOf(tx, family)} and ${equal(sql`c.coverage`, coverage)}
     order by c.group_name, c.name, c.container_id limit ${limit}`);
  return rows.map(({ members, guests, outsiders, isOpen, isComplete, coveredAt, ...row }) => {
    const { total, totalIsExact } = totalOf(row.messages);
    return {
      ...row,
      audience:
        members === null || guests === null || outsiders === null || isOpen === null || isComplete === null
          ? null
          : { members, guests, outsiders, isOpen, isComplete },
      lastSyncedAt: coveredAt?.toISOString() ?? null,
      dueAt: row.dueAt?.toISOString() ?? null,
      messages: total,
      messagesAreExact: totalIsExact,
      openFindings: totalOf(row.openFindings).total,
    };
  });
}

export async function countContainers(
  tx: Tx,
  family: MessageFamily,
  { coverage }: ContainerFilter,
): Promise<Total> {
  const [row] = await tx.query<{ n: number }>(sql`
    select ${counted(sql`
      select from message_containers c
       where ${containersOf(tx, family)} and ${equal(sql`c.coverage`, coverage)}`)} as n`);
  return totalOf(row?.n ?? 0);
}
