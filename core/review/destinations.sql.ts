import { z } from 'zod';
import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';

/** A domain that an asset can be routed to. It shows only the id and the name. */
export const DestinationSchema = z.object({ domainId: z.string(), domainName: z.string() });

/** A type that a correction can name. */
export const CorrectionSchema = DestinationSchema.extend({
  informationTypeId: z.string(),
  informationTypeName: z.string(),
  definition: z.string(),
});

/** All approved domains, by name; at most `limit`. */
export const destinations = (tx: Tx, limit: number): Promise<z.infer<typeof DestinationSchema>[]> =>
  tx.query(sql`
    select domain_id as "domainId", name as "domainName" from domains
     where tenant_id = ${tx.tenantId} and status = 'approved' order by lower(name), domain_id limit ${limit}`);

/** Approved types of approved domains of the reader, by domain and name; at most `limit`. */
export const corrections = (
  tx: Tx,
  visibility: Visibility,
  limit: number,
): Promise<z.infer<typeof CorrectionSchema>[]> =>
  tx.query(sql`
    select d.domain_id as "domainId", d.name as "domainName", t.information_type_id as "informationTypeId",
           t.name as "informationTypeName", t.definition
      from information_types t join domains d using (tenant_id, domain_id)
     where t.tenant_id = ${tx.tenantId} and t.status = 'approved' and d.status = 'approved'
       and ${withinDomains(visibility, sql`t.domain_id`)}
     order by lower(d.name), d.domain_id, lower(t.name), t.information_type_id limit ${limit}`);
