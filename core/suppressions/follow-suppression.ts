import { type CampaignOrigin, followDecision } from '../campaigns/campaigns.sql.ts';
import type { Tx } from '../db/tx.ts';
import { loadActiveEnsemble } from '../inference/active-ensemble.sql.ts';
import { planSuppressionRescore } from '../signals/plan-suppression-rescore.ts';

/**
 * Schedules a rescore of the assets that a rule may be about, in the transaction in which the rule comes into force or
 * ends. It reads no source.
 * @param suppression `version`: the version of the set of rules since then
 */
export async function followSuppression(
  tx: Tx,
  suppression: { suppressionId: string; version: number },
  origin: CampaignOrigin,
  now: number,
): Promise<void> {
  const { version: ensembleVersion } = await loadActiveEnsemble(tx);
  const units = await planSuppressionRescore(tx, { ensembleVersion, suppression }, null);
  await followDecision(tx, { ...origin, units }, now);
}
