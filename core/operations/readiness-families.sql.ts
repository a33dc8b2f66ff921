import type { SourceFamily } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import { type Db, withEngineTx } from '../db/tx.ts';

/**
 * Source families with a scope of any tenant that is not reconciled: one that is selected, or that has assets. A channel or
 * mailbox is one until it is ended.
 */
export async function registeredFamilies(db: Db): Promise<ReadonlySet<SourceFamily>> {
  const rows = await withEngineTx(db, (tx) =>
    tx.query<{ family: SourceFamily }>(
      sql`select family from scopes where selected or asset_count > 0
          union select family from message_containers where selection <> 'ended'`,
    ),
  );
  return new Set(rows.map((row) => row.family));
}
