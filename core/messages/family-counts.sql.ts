import type { MessageFamily } from '../connectors/message-source.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { MAX_COUNTED } from '../kernel/list.ts';
import { MESSAGE_FAMILIES } from '../kernel/vocabulary.ts';

export type FamilyCounts = {
  family: MessageFamily;
  containers: number;
  covered: number;
  refused: number;
  /** Counting ends at `MAX_COUNTED`. */
  messages: number;
  openFindings: number;
  lastSyncedAt: Date | null;
};

/** How much there is of each family of messages, without containers that are no longer selected. */
export const familyCounts = (tx: Tx): Promise<FamilyCounts[]> =>
  tx.query<FamilyCounts>(sql`
    select f.family, count(c.container_id)::int as containers,
           (count(*) filter (where c.coverage = 'covered'))::int as covered,
           (count(*) filter (where c.coverage = 'refused'))::int as refused,
           max(c.covered_at) as "lastSyncedAt",
           (select count(*)::int from (
              select from messages m join message_containers o using (tenant_id, container_id)
               where o.tenant_id = ${tx.tenantId} and o.family = f.family and o.due_at < 'infinity'
               limit ${sql.whole(MAX_COUNTED)}) counted) as messages,
           (select count(*)::int from (
              select from message_findings m join message_containers o using (tenant_id, container_id)
               where o.tenant_id = ${tx.tenantId} and o.family = f.family and o.due_at < 'infinity'
                 and m.status = 'open'
               limit ${sql.whole(MAX_COUNTED)}) counted) as "openFindings"
      from unnest(${[...MESSAGE_FAMILIES]}::text[]) as f (family)
      left join message_containers c
        on c.tenant_id = ${tx.tenantId} and c.family = f.family and c.due_at < 'infinity'
     group by f.family order by f.family`);
