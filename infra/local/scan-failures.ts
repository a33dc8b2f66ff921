import { sql } from '../../core/db/sql.ts';
import type { Tx } from '../../core/db/tx.ts';

type Failure = { walk: boolean; diagnostic: string; count: number };

/** A sentence for each kind of failure that remained after all attempts. Empty if there was none. */
export async function scanFailures(tx: Tx, campaignIds: readonly string[]): Promise<string[]> {
  const failures = await tx.query<Failure>(sql`
    select u.kind <> 'process_asset' as walk, d.safe_diagnostic as diagnostic, count(*)::int as count
      from dead_letters d join work_units u using (unit_id)
     where d.tenant_id = ${tx.tenantId} and d.campaign_id = any(${campaignIds}::text[])
     group by 1, 2 order by 1 desc, 3 desc, 2`);
  return failures.map(sentenceOf);
}

function sentenceOf({ walk, diagnostic, count }: Failure): string {
  if (walk)
    return `A listing was not completed (${diagnostic}). The tables lack the items that it did not reach.`;
  return `${count} ${count === 1 ? 'item' : 'items'} could not be processed: ${diagnostic}`;
}
