import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { loadActiveEnsemble } from '../governance/read.ts';
import type { AssetId } from '../kernel/ids.ts';
import { followUps } from '../scan/plan-rescore.ts';
import { findSimilar } from '../similarity/read.ts';
import { type CampaignOrigin, followDecision } from '../work/campaigns.sql.ts';

/** Of byte-identical copies, of near-duplicates and of documents of the same template each; the next inventory finds more. */
const MOST_RELATED = 200;

/**
 * Has the assets that are like a decided one scored again, in the transaction of the decision, so that the queue is
 * ranked by what was said as soon as a worker has looked. What they become is the model's to say, with its reasons: no
 * decision is made for anybody.
 */
export async function rescoreRelated(
  tx: Tx,
  { assetId, decisionId, ...origin }: CampaignOrigin & { assetId: string; decisionId: string },
  now: number,
): Promise<void> {
  const [asset] = await tx.query<{ content_hash: string | null }>(sql`
    select encode(content_hash, 'hex') as content_hash from assets
     where tenant_id = ${tx.tenantId} and asset_id = ${assetId}`);
  const contentHash = asset?.content_hash ?? null;
  const copies = await tx.query<{ asset_id: AssetId }>(sql`
    select asset_id from assets
     where tenant_id = ${tx.tenantId} and content_hash = decode(${contentHash}, 'hex') and status = 'active'
       and asset_id <> ${assetId}
     order by asset_id limit ${MOST_RELATED}`);
  const similar = await findSimilar(
    tx,
    { assetId, contentHash, sketches: null },
    { among: sql`true`, decided: false, limit: MOST_RELATED },
  );
  const related = [...copies.map((copy) => copy.asset_id), ...similar.map((each) => each.assetId as AssetId)];
  if (related.length === 0) return;
  const { version } = await loadActiveEnsemble(tx);
  await followDecision(tx, { ...origin, units: followUps(related, version, decisionId) }, now);
}
