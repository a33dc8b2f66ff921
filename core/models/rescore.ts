import { type CampaignOrigin, startRescoreCampaign } from '../campaigns/campaigns.sql.ts';
import type { Tx } from '../db/tx.ts';
import { planRescore } from '../inference/plan-rescore.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { CampaignId } from '../kernel/ids.ts';
import { advanceEnsemble } from './ensembles.sql.ts';

/**
 * Makes the next version of the thresholds, equal to those in force, and has every asset scored by it from what is
 * retained of it. Throws `conflict` while another rescore is active.
 */
export async function startRescore(
  tx: Tx,
  origin: CampaignOrigin,
  now: number,
): Promise<{ campaignId: CampaignId; ensembleVersion: number }> {
  const ensembleVersion = await advanceEnsemble(tx, now);
  const first = await planRescore(tx, ensembleVersion, null);
  const campaignId = await startRescoreCampaign(tx, { ...origin, first }, now);
  // Thrown, so that the version above is taken back.
  if (campaignId === null)
    throw new ServiceError('conflict', 'A rescore is already pending, running or paused.');
  return { campaignId, ensembleVersion };
}
