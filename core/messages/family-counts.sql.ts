import type { MessageFamily } from '../connectors/message-source.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { MAX_COUNTED } from '../kernel/list.ts';
import { MESSAGE_FAMILIES } from '../kernel/vocabulary.ts';

export type FamilyCounts = {
  family: MessageFamily;
  /** Those that are synced. */
  containers: number;
  /** Those that a person has left out. What they have counts as well. */
  notSelected: number;
  covered: number;
  refused: number;
  /** Counting ends at `MAX_COUNTED`. */
  messages: number;
  openFindings: number;
  lastSyncedAt: Date | null;
};

/** How much there is of each family of messages, without containers that are going. */
export const familyCounts = (tx: Tx): Promise<FamilyCounts[]> =>
  tx.query<FamilyCounts>(sql`
    select f.family, (count(*) filter (where c.selection = 'selected'))::int as containers,
           (count(*) filter (where c.selection <> 'selected'))::int as "notSelected",
           (count(*) filter (where c.selection = 'selected' and c.coverage = 'covered'))::int as covered,
           (count(*) filter (where c.selection = 'selected' and c.coverage = 'refused'))::int as refused,
           max(c.covered_at) as "lastSyncedAt",
           (select count(*)::int from (
              select from messages m join message_containers o using (tenant_id, container_id)
               where o.tenant_id = ${tx.tenantId} and o.family = f.family and o.selection <> 'going'
               limit ${sql.whole(MAX_COUNTED)}) counted) as messages,
           (select count(*)::int from (
              select from message_findings m join message_containers o using (tenant_id, container_id)
               where o.tenant_id = ${tx.tenantId} and o.family = f.family and o.selection <> 'going'
                 and m.status = 'open'
               limit ${sql.whole(MAX_COUNTED)}) counted) as "openFindings"
      from unnest(${[...MESSAGE_FAMILIES]}::text[]) as f (family)
      left join message_containers c
        on c.tenant_id = ${tx.tenantId} and c.family = f.family and c.selection <> 'going'
     group by f.family order by f.family`);

/** The messages of containers that a person has left out, by family. A family without any is left out. */
export async function messagesNotSelected(tx: Tx): Promise<ReadonlyMap<MessageFamily, number>> {
  const rows = await tx.query<{ family: MessageFamily; messages: number }>(sql`
    select c.family, count(*)::int as messages
      from message_containers c join messages m using (tenant_id, container_id)
     where c.tenant_id = ${tx.tenantId} and c.selection = 'kept' group by c.family`);
  return new Map(rows.map(({ family, messages }) => [family, messages]));
}
