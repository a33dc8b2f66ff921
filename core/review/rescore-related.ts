import { type CampaignOrigin, followDecision } from '../campaigns/campaigns.sql.ts';
import type { Tx } from '../db/tx.ts';
import { loadActiveEnsemble } from '../inference/active-ensemble.sql.ts';
import { followUps } from '../inference/plan-rescore.ts';
import { relatedAssets } from './related-assets.sql.ts';

/**
 * Has the assets that are like a decided one scored again, in the transaction of the decision, so that the queue is
 * ranked by what was said as soon as a worker has looked; the next inventory finds what is beyond their bound. What
 * they become is the model's to say, with its reasons: no decision is made for anybody.
 */
export async function rescoreRelated(
  tx: Tx,
  { assetId, decisionId, ...origin }: CampaignOrigin & { assetId: string; decisionId: string },
  now: number,
): Promise<void> {
  const related = (await relatedAssets(tx, assetId)).map((each) => each.assetId);
  if (related.length === 0) return;
  const { version } = await loadActiveEnsemble(tx);
  await followDecision(tx, { ...origin, units: followUps(related, version, decisionId) }, now);
}
