import type { SourceFamily } from '../connectors/connector.ts';
import { sql } from '../db/sql.ts';
import { type Db, withEngineTx } from '../db/tx.ts';

/** Source families with a registered scope of any tenant. */
export async function registeredFamilies(db: Db): Promise<ReadonlySet<SourceFamily>> {
  const rows = await withEngineTx(db, (tx) =>
    tx.query<{ family: SourceFamily }>(sql`select distinct family from scopes`),
  );
  return new Set(rows.map((row) => row.family));
}
