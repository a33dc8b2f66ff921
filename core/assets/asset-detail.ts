import type { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import { type Principal, type Visibility, visibilityOf } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { riskOf } from '../findings/risk.sql.ts';
import { shownFindingsOf } from '../findings/shown-findings.ts';
import { notFound } from '../kernel/errors.ts';
import { bounded } from '../kernel/list.ts';
import { suppressedOf } from '../signals/suppressed-of.sql.ts';
import { findAsset, versionsOf } from './asset-detail.sql.ts';
import type { AssetDetailSchema } from './asset-detail-schema.ts';
import { clustersOf } from './clusters.sql.ts';
import { readExcerpts } from './excerpts.sql.ts';
import { readProvenance } from './provenance.sql.ts';
import { shownSignals } from './shown-signals.ts';

const MAX_VERSIONS = 100;

/**
 * An asset with its history. Throws `not_found` if it does not exist or the reader may not see it.
 * @param withExcerpts whether excerpts are read, which is audited
 */
export async function assetDetail(
  tx: Tx,
  principal: Principal,
  visibility: Visibility,
  assetId: string,
  audit: (entry: AuditEntry) => void,
  withExcerpts: boolean,
): Promise<z.infer<typeof AssetDetailSchema>> {
  const asset = await findAsset(tx, assetId, visibility);
  if (asset === null) throw notFound();
  return {
    ...asset,
    permissions: {
      ...asset.permissions,
      caveat:
        'These are the grants that the source told of. The absence of a grant is not evidence of absence.',
    },
    versions: bounded(await versionsOf(tx, assetId, MAX_VERSIONS + 1), MAX_VERSIONS),
    provenance: await readProvenance(tx, assetId, visibility),
    riskComponents: await riskOf(tx, assetId),
    findings: await shownFindingsOf(tx, { principal, visibility }, assetId),
    clusters: await clustersOf(tx, assetId, visibility),
    signals: await shownSignals(tx, assetId),
    excerpts: withExcerpts ? (await readExcerpts(tx, principal, assetId, audit)).present : [],
    suppressedSignals: await suppressedOf(
      tx,
      assetId,
      visibilityOf(principal, 'governance.suppression.read'),
    ),
  };
}
