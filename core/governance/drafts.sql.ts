import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** Counts the objects of the taxonomy that wait for approval. */
export async function countDrafts(
  tx: Tx,
): Promise<{ domains: number; informationTypes: number; regulatoryMappings: number }> {
  const count = (table: 'domains' | 'information_types' | 'regulatory_mappings') => sql`
    (select count(*) from ${sql.ident(table)} where tenant_id = ${tx.tenantId} and status = 'draft')`;
  const [drafts] = await tx.query<{
    domains: number;
    informationTypes: number;
    regulatoryMappings: number;
  }>(sql`
    select ${count('domains')} as domains, ${count('information_types')} as "informationTypes",
           ${count('regulatory_mappings')} as "regulatoryMappings"`);
  return drafts ?? { domains: 0, informationTypes: 0, regulatoryMappings: 0 };
}
