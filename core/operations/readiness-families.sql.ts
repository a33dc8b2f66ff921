import type { SourceFamily } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import { type Db, withEngineTx } from '../db/tx.ts';

/** Source families with a scope of any tenant that is not reconciled: one that is selected, or that has assets. */
export async function registeredFamilies(db: Db): Promise<ReadonlySet<SourceFamily>> {
  const rows = await withEngineTx(db, (tx) =>
    tx.query<{ family: SourceFamily }>(
      sql`select distinct family from scopes where selected or asset_count > 0`,
    ),
  );
  return new Set(rows.map((row) => row.family));
}
