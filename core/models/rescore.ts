import type { AiProvider } from '../ai/provider.ts';
import { type CampaignOrigin, startRescoreCampaign } from '../campaigns/campaigns.sql.ts';
import type { Config } from '../config/config.ts';
import type { Db, Tx } from '../db/tx.ts';
import type { EnsembleValues } from '../inference/inference.ts';
import { planRescore } from '../inference/plan-rescore.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { CampaignId, TenantId } from '../kernel/ids.ts';
import { advanceEnsemble, lockActiveEnsemble } from './ensembles.sql.ts';

type TaxonomyParts = { config: Config; db: Db; ai: AiProvider; clock: Clock; stopping: AbortSignal };

/** Throws `blocked_capability` if the taxonomy cannot be embedded. What embeds it is imported when it is needed. */
export async function requireTaxonomy(
  { stopping, ...parts }: TaxonomyParts,
  tenantId: TenantId,
): Promise<void> {
  const { embeddedTaxonomy } = await import('../scan/taxonomy-cache.ts');
  await embeddedTaxonomy(parts, tenantId, stopping);
}

export type StartedRescore = { campaignId: CampaignId; ensembleVersion: number };

/**
 * Makes the next version of the thresholds, equal to those in force, and has every asset scored by it from what is
 * retained of it. Throws `conflict` while another rescore is active.
 */
export async function startRescore(tx: Tx, origin: CampaignOrigin, now: number): Promise<StartedRescore> {
  return rescoreUnder(tx, await lockActiveEnsemble(tx), null, origin, now);
}

/**
 * Puts these thresholds and weights in force as the next version, and has every asset scored by it. The caller has
 * locked the version in force. Throws `conflict` while another rescore is active.
 */
export async function rescoreUnder(
  tx: Tx,
  values: EnsembleValues,
  releaseId: string | null,
  origin: CampaignOrigin,
  now: number,
): Promise<StartedRescore> {
  const ensembleVersion = await advanceEnsemble(tx, values, releaseId, now);
  const first = await planRescore(tx, ensembleVersion, null);
  const campaignId = await startRescoreCampaign(tx, { ...origin, first }, now);
  // Thrown, so that the version above is taken back.
  if (campaignId === null)
    throw new ServiceError('conflict', 'A rescore is already pending, running or paused.');
  return { campaignId, ensembleVersion };
}
