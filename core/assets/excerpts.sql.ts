import { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import { type Principal, visibilityOf } from '../authz/principal.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Excerpt } from '../detectors/redaction.ts';
import { visibleAsset } from './visibility.sql.ts';

/** A bounded piece of text around what a detector found, every identifier in it masked. */
export const ExcerptSchema = z.object({ detectorId: z.string(), text: z.string() });

/**
 * The redacted excerpts of an asset for a reader who holds `asset.evidence.excerpt.read` over it, else none. Reading
 * them is recorded. Under a profile that keeps none, those of an earlier profile are not shown either.
 */
export async function readExcerpts(
  tx: Tx,
  principal: Principal,
  assetId: string,
  audit: (entry: AuditEntry) => void,
): Promise<Excerpt[]> {
  const visibility = visibilityOf(principal, 'asset.evidence.excerpt.read');
  if (visibility === null) return [];
  const [row] = await tx.query<{ excerpts: Excerpt[] }>(sql`
    select f.excerpts
      from assets a
      join asset_features f on f.tenant_id = a.tenant_id and f.asset_id = a.asset_id
      join tenants n on n.tenant_id = a.tenant_id
     where a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId} and a.status = 'active'
       and n.data_handling_profile <> 'metadata_only' and ${visibleAsset(visibility)}`);
  const excerpts = row?.excerpts ?? [];
  if (excerpts.length > 0) {
    audit({
      category: 'evidence_access',
      type: 'asset_excerpts_read',
      target: { kind: 'asset', id: assetId },
      details: { excerpts: excerpts.length },
    });
  }
  return excerpts;
}
