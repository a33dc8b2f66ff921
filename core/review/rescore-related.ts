import { type CampaignOrigin, followDecision } from '../campaigns/campaigns.sql.ts';
import type { Tx } from '../db/tx.ts';
import { loadActiveEnsemble } from '../inference/active-ensemble.sql.ts';
import { followUps } from '../inference/plan-rescore.ts';
import { relatedAssets } from './related-assets.sql.ts';

/**
 * Schedules a rescore of the assets that are similar to a decided one, in the transaction of the decision. The queue
 * then reflects the decision as soon as a worker has run. The number of assets is limited; the next inventory updates
 * the rest. The model scores them, and no decision is copied to them.
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
