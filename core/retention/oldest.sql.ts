import type { Config } from '../config/config.ts';
import { sql } from '../db/sql.ts';
import type { EngineTx, Tx } from '../db/tx.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { Kept } from './kept.sql.ts';
import { noteRemoved } from './removed.sql.ts';

const DAY_MS = 24 * 3_600_000;

/** The last row that was looked at: its time as the database stores it, with microseconds, and its id. */
export type Cursor = { since: string; id: string };
export const START: Cursor = { since: '-infinity', id: '' };

/** The time before which rows of this kind go. */
export const cutOff = ({ setting }: Kept, config: Config, now: number): Date =>
  new Date(now - config[setting] * DAY_MS);

/** Looks at the next rows and removes those that nothing needs. Null if these were the last that are old enough. */
export async function removeSome(
  tx: Tx,
  kept: Kept,
  { before, after, now }: { before: Date; after: Cursor; now: number },
): Promise<Cursor | null> {
  const rest = sql`${kept.of} and ${kept.since} < ${before}`;
  const page = await tx.query<Cursor>(sql`
    select ${kept.since}::text as since, ${kept.id} as id from ${kept.from}
     where k.tenant_id = ${tx.tenantId} and ${rest}
       and (${kept.since}, ${kept.id}) > (${after.since}::timestamptz, ${after.id})
     order by ${kept.since}, ${kept.id} limit ${kept.batch}`);
  if (page.length === 0) return null;
  const ids = page.map(({ id }) => id);
  const { removed, finished } = await kept.letGo(tx, ids, sql`${rest} and ${kept.free}`, now);
  await noteRemoved(tx, removed);
  if (!finished) return after;
  return page.length < kept.batch ? null : (page.at(-1) ?? null);
}

/** Every tenant in which something was done. */
export async function tenantsWithRows(tx: EngineTx): Promise<TenantId[]> {
  const rows = await tx.query<{ tenantId: TenantId }>(sql`
    select tenant_id as "tenantId" from audit_heads order by tenant_id`);
  return rows.map(({ tenantId }) => tenantId);
}
