import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { LetGo } from './removed.sql.ts';

/** Takes the previews of messages away, and the names of their attachments. */
export async function emptyMessages(tx: Tx, ids: readonly string[], rest: Statement): Promise<LetGo> {
  const emptied = await tx.query<{ id: string }>(sql`
    update messages k set preview = null
     where k.tenant_id = ${tx.tenantId} and k.message_id = any(${ids}::text[]) and ${rest}
    returning k.message_id as id`);
  await tx.execute(sql`
    update message_attachments set name = null
     where tenant_id = ${tx.tenantId} and message_id = any(${emptied.map(({ id }) => id)}::text[])
       and name is not null`);
  return { removed: { message_previews: emptied.length }, finished: true };
}
