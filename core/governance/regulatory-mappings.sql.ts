import type { Visibility } from '../authz/principal.ts';
import { withinDomains } from '../authz/within-domains.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { PrincipalId } from '../kernel/ids.ts';
import { instant } from './taxonomy.sql.ts';
import type { Citation } from './taxonomy-drafts.sql.ts';
import type { MappingStatus } from './taxonomy-states.ts';

export type StoredMapping = {
  mappingId: string;
  domainId: string;
  jurisdiction: string;
  regulation: string;
  rationale: string;
  citation: Citation | null;
  status: MappingStatus;
  origin: 'generated' | 'manual';
  provider: string | null;
  model: string | null;
  createdBy: string;
  decidedBy: string | null;
  /** ISO 8601, as is `updatedAt`. */
  decidedAt: string | null;
  revision: number;
  updatedAt: string;
};

const columns = sql`
  mapping_id as "mappingId", domain_id as "domainId", jurisdiction, regulation, rationale,
  case when cited_document_id is not null then
    jsonb_build_object('documentId', cited_document_id, 'version', cited_version, 'anchor', cited_anchor,
                       'heading', cited_heading) end as citation,
  status, origin, provider, model, created_by as "createdBy", decided_by as "decidedBy",
  ${instant(sql`decided_at`)} as "decidedAt", revision, ${instant(sql`updated_at`)} as "updatedAt"`;

/**
 * Mappings of the domains that the reader may see, including rejected ones; at most `limit`. `domainId` null means
 * all domains.
 */
export const listMappings = (
  tx: Tx,
  visibility: Visibility,
  { domainId, limit }: { domainId: string | null; limit: number },
): Promise<StoredMapping[]> =>
  tx.query<StoredMapping>(sql`
    select ${columns} from regulatory_mappings
     where tenant_id = ${tx.tenantId} and (${domainId}::text is null or domain_id = ${domainId})
       and ${withinDomains(visibility, sql`domain_id`)}
     order by lower(jurisdiction), lower(regulation), mapping_id limit ${limit}`);

/** A mapping, locked until the transaction ends, or null. */
export async function lockMapping(tx: Tx, mappingId: string): Promise<StoredMapping | null> {
  const [mapping] = await tx.query<StoredMapping>(sql`
    select ${columns} from regulatory_mappings
     where tenant_id = ${tx.tenantId} and mapping_id = ${mappingId} for no key update`);
  return mapping ?? null;
}

export const markDecided = (
  tx: Tx,
  mappingId: string,
  status: 'approved' | 'rejected',
  by: PrincipalId,
  now: number,
) =>
  tx.execute(sql`
    update regulatory_mappings
       set status = ${status}, decided_by = ${by}, decided_at = ${new Date(now)}, revision = revision + 1,
           updated_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and mapping_id = ${mappingId}`);
