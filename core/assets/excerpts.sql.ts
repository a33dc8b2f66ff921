import { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import { type Principal, visibilityOf } from '../authz/principal.ts';
import { visibleAsset } from '../authz/visibility.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Excerpt } from '../detectors/redaction.ts';
import { effectiveExcerpts } from '../signals/effective-signals.sql.ts';

/** A bounded piece of text around a detector's hit, with all identifiers masked. */
export const ExcerptSchema = z.object({
  detectorId: z.string(),
  text: z.string(),
  column: z.string().optional().describe('Of a table of a database: the column of the value'),
  inside: z
    .string()
    .optional()
    .describe(
      'Of a file inside, such as a member of an archive or an attachment: its path there, identifiers masked',
    ),
});

/** The excerpts of the present content, and of the content that a decision was given on. */
type ReadExcerpts = { present: Excerpt[]; judged: Excerpt[] };

/**
 * The redacted excerpts of an asset, if the reader has `asset.evidence.excerpt.read` for it; otherwise none. Those of
 * detectors whose finds do not count are left out. The read is audited. Under a profile that keeps no excerpts, remaining ones of an earlier profile are not shown.
 * @param decisionId a decision on this asset whose excerpts are read too
 */
export async function readExcerpts(
  tx: Tx,
  principal: Principal,
  assetId: string,
  audit: (entry: AuditEntry) => void,
  decisionId: string | null = null,
): Promise<ReadExcerpts> {
  const none = { present: [], judged: [] };
  const visibility = visibilityOf(principal, 'asset.evidence.excerpt.read');
  if (visibility === null) return none;
  const [read = none] = await tx.query<ReadExcerpts>(sql`
    select ${effectiveExcerpts(sql`f.excerpts`, sql`a`)} as present, ${effectiveExcerpts(sql`d.excerpts`, sql`a`)} as judged
      from assets a
      left join asset_features f on f.tenant_id = a.tenant_id and f.asset_id = a.asset_id
      left join decision_excerpts d on d.tenant_id = a.tenant_id and d.decision_id = ${decisionId}
      join tenants n on n.tenant_id = a.tenant_id
     where a.tenant_id = ${tx.tenantId} and a.asset_id = ${assetId} and a.status = 'active'
       and n.data_handling_profile <> 'metadata_only' and ${visibleAsset(visibility)}`);
  const excerpts = read.present.length + read.judged.length;
  if (excerpts > 0) audit(excerptsRead(assetId, excerpts));
  return read;
}

/** The event of a reader who is shown excerpts of an asset. */
export const excerptsRead = (assetId: string, excerpts: number): AuditEntry => ({
  category: 'evidence_access',
  type: 'asset_excerpts_read',
  target: { kind: 'asset', id: assetId },
  details: { excerpts },
});
