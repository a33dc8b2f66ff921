import type { z } from 'zod';
import type { AuditEntry } from '../audit/event.ts';
import type { Principal, Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { notFound } from '../kernel/errors.ts';
import { bounded } from '../kernel/list.ts';
import { copiesOf, findAsset, versionsOf } from './asset-detail.sql.ts';
import type { AssetDetailSchema } from './asset-detail-schema.ts';
import { readExcerpts } from './excerpts.sql.ts';
import { readProvenance } from './provenance.sql.ts';

const VERSIONS_MAX = 100;
const COPIES_MAX = 50;

/** One asset with its history. Throws `not_found` alike for one that does not exist and one that may not be seen. */
export async function assetDetail(
  tx: Tx,
  principal: Principal,
  visibility: Visibility,
  assetId: string,
  audit: (entry: AuditEntry) => void,
): Promise<z.infer<typeof AssetDetailSchema>> {
  const asset = await findAsset(tx, assetId, visibility);
  if (asset === null) throw notFound();
  const copies = bounded(await copiesOf(tx, assetId, visibility, COPIES_MAX + 1), COPIES_MAX);
  return {
    ...asset,
    permissions: {
      ...asset.permissions,
      caveat:
        'These are the grants that the source told of. The absence of a grant is not evidence of absence.',
    },
    versions: bounded(await versionsOf(tx, assetId, VERSIONS_MAX + 1), VERSIONS_MAX),
    provenance: await readProvenance(tx, assetId, visibility),
    // Neither risk components nor findings are computed yet, so an asset has none.
    riskComponents: [],
    findings: [],
    clusters: copies.items.length === 0 ? [] : [{ kind: 'identical_bytes', assets: copies }],
    excerpts: await readExcerpts(tx, principal, assetId, audit),
  };
}
