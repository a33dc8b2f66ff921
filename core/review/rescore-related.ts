import { type CampaignOrigin, followDecision } from '../campaigns/campaigns.sql.ts';
import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { loadActiveEnsemble } from '../inference/active-ensemble.sql.ts';
import { afterDecision } from '../inference/plan-rescore.ts';
import type { AssetId } from '../kernel/ids.ts';
import { relatedAssets } from './related-assets.sql.ts';
import { questionValue } from './value.sql.ts';

/** Open questions that an answer scores again. */
const MAX_QUESTIONS = 100;

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
  const units = afterDecision([...assetIds], version, { decisionId, answeredAt: now });
  await followDecision(tx, { ...origin, units }, now);
}

/** The assets of the most valuable questions of each approved domain, those of all domains alike. */
async function nextQuestions(tx: Tx, limit: number): Promise<AssetId[]> {
  const rows = await tx.query<{ assetId: AssetId }>(sql`
    select asset_id as "assetId"
      from domains d cross join lateral (
        select k.asset_id, row_number() over (order by ${questionValue(sql`k`)} desc, k.candidate_id) as place
          from candidates k
         where k.tenant_id = d.tenant_id and k.domain_id = d.domain_id and k.status = 'pending' and k.asset_active
         order by ${questionValue(sql`k`)} desc, k.candidate_id limit ${limit}) next
     where d.tenant_id = ${tx.tenantId} and d.status = 'approved'
     order by next.place, asset_id limit ${limit}`);
  return rows.map(({ assetId }) => assetId);
}
