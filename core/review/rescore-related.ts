import { type CampaignOrigin, followDecision } from '../campaigns/campaigns.sql.ts';
import type { Tx } from '../db/tx.ts';
import { loadActiveEnsemble } from '../inference/active-ensemble.sql.ts';
import { followUps } from '../inference/plan-rescore.ts';
import type { AssetId } from '../kernel/ids.ts';
import { nextQuestions } from './next-questions.sql.ts';
import { relatedAssets } from './related-assets.sql.ts';

/** Open questions that an answer scores again. */
export const MAX_QUESTIONS = 100;

/**
 * Schedules a rescore, in the transaction of a decision, of the decided asset, since the model asks another domain after a
 * refusal; of the assets that are similar to it; and of the next questions of the queues, since answers so far lower or
 * raise what the model asks. The queue then reflects the decision as soon as a worker has run. The number of assets is
 * limited; the next inventory updates the rest. The model scores them, and no decision is copied to them.
 */
export async function rescoreRelated(
  tx: Tx,
  { assetId, decisionId, ...origin }: CampaignOrigin & { assetId: AssetId; decisionId: string },
  now: number,
): Promise<void> {
  const [related, questions] = await Promise.all([
    relatedAssets(tx, assetId),
    nextQuestions(tx, MAX_QUESTIONS),
  ]);
  const assetIds = new Set([assetId, ...related.map((each) => each.assetId), ...questions]);
  const { version } = await loadActiveEnsemble(tx);
  const units = followUps([...assetIds], { ensembleVersion: version, answeredAt: now }, decisionId);
  await followDecision(tx, { ...origin, units }, now);
}
