import { type CampaignOrigin, followDecision } from '../campaigns/campaigns.sql.ts';
import type { Tx } from '../db/tx.ts';
import { loadActiveEnsemble } from '../inference/active-ensemble.sql.ts';
import { followUps } from '../inference/plan-rescore.ts';
import type { AssetId } from '../kernel/ids.ts';
import { hasRuleOfDomain } from '../signals/active-suppressions.sql.ts';
import { relatedAssets } from './related-assets.sql.ts';

/**
 * Schedules a rescore of the assets that are similar to a decided one, and of that one if a suppression may depend on the
 * decision, in the transaction of the decision. The queue
 * then reflects the decision as soon as a worker has run. The number of assets is limited; the next inventory updates
 * the rest. The model scores them, and no decision is copied to them.
 */
export async function rescoreRelated(
  tx: Tx,
  { assetId, decisionId, ...origin }: CampaignOrigin & { assetId: AssetId; decisionId: string },
  now: number,
): Promise<void> {
  const related = (await relatedAssets(tx, assetId)).map((each) => each.assetId);
  // A rule of a domain no longer applies to an asset that people have tied to another one, or applies again.
  if (await hasRuleOfDomain(tx)) related.unshift(assetId);
  if (related.length === 0) return;
  const { version } = await loadActiveEnsemble(tx);
  await followDecision(tx, { ...origin, units: followUps(related, version, decisionId) }, now);
}
