import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { hasOwner } from '../governance/owners.sql.ts';

/**
 * A domain without an owner who can act. `waitingQuestions`: the number of its assets with an open question.
 * `waitingSince`: when the oldest of these questions was first asked, or null if there is none.
 */
export const DomainWithoutOwnerSchema = z.object({
  domainId: z.string(),
  domainName: z.string(),
  waitingQuestions: z.int().nonnegative(),
  waitingSince: z.iso.datetime().nullable(),
});

/**
 * Domains without an owner who can act, those with the most open questions first, then by name; at most `limit`. Only
 * domains that the reader may see, optionally only approved ones or a single one. The questions are summed up from
 * the domains' cells, and the oldest one is the first of an index, so that the cost does not grow with the number of
 * questions.
 */
export async function domainsWithoutOwner(
  tx: Tx,
  visibility: Visibility,
  { domainId, onlyApproved, limit }: { domainId?: string | undefined; onlyApproved: boolean; limit: number },
): Promise<z.infer<typeof DomainWithoutOwnerSchema>[]> {
  type Row = Omit<z.infer<typeof DomainWithoutOwnerSchema>, 'waitingSince'> & { waitingSince: Date | null };
  const rows = await tx.query<Row>(sql`
    with without_owner as materialized (
      select d.tenant_id, d.domain_id, d.name from domains d
       where d.tenant_id = ${tx.tenantId} and ${withinDomains(visibility, sql`d.domain_id`)}
         and ${domainId === undefined ? sql`true` : sql`d.domain_id = ${domainId}`}
         and ${onlyApproved ? sql`d.status = 'approved'` : sql`true`}
         and not ${hasOwner}
    )
    select d.domain_id as "domainId", d.name as "domainName", w.questions as "waitingQuestions",
           (select min(k.created_at) from candidates k
             where k.tenant_id = d.tenant_id and k.domain_id = d.domain_id and k.status = 'pending' and k.asset_active
           ) as "waitingSince"
      from without_owner d
      cross join lateral (
        select coalesce(sum(pending_reviews), 0) as questions
          from (
            select pending_reviews from landscape_cells where tenant_id = d.tenant_id and domain_id = d.domain_id
            union all
            select pending_reviews from placement_changes where tenant_id = d.tenant_id and domain_id = d.domain_id
          ) counted) w
     order by w.questions desc, lower(d.name), d.domain_id limit ${limit}`);
  return rows.map((row) => ({ ...row, waitingSince: row.waitingSince?.toISOString() ?? null }));
}
