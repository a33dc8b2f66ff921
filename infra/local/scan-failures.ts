import { sql } from '../../core/db/sql.ts';
import type { Tx } from '../../core/db/tx.ts';

type Failure = { walk: boolean; diagnostic: string; count: number };

/** A sentence per kind of failure: what the campaigns gave up on after all attempts. None when there was nothing. */
export async function scanFailures(tx: Tx, campaignIds: readonly string[]): Promise<string[]> {
  const failures = await tx.query<Failure>(sql`
    select u.kind <> 'process_asset' as walk, d.safe_diagnostic as diagnostic, count(*)::int as count
      from dead_letters d join work_units u using (unit_id)
     where d.tenant_id = ${tx.tenantId} and d.campaign_id = any(${campaignIds}::text[])
     group by 1, 2 order by 1 desc, 3 desc, 2`);
  return failures.map(sentenceOf);
}

function sentenceOf({ walk, diagnostic, count }: Failure): string {
  if (walk) return `A listing ended before its end (${diagnostic}): the tables lack what it had not reached.`;
  return `${count} ${count === 1 ? 'item' : 'items'} could not be looked at: ${diagnostic}`;
}
