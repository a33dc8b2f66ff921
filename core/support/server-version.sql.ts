import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** The version of the database server, as it calls it. */
export async function serverVersion(tx: Tx): Promise<string> {
  const [row] = await tx.query<{ version: string }>(sql`select current_setting('server_version') as version`);
  return row?.version ?? 'unknown';
}
