import type { Tx } from '../db/tx.ts';
import { batchOf, type RescorePayload } from '../inference/plan-rescore.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { NewUnit } from '../work/enqueue.sql.ts';
import { assetsOfSuppression, loadSuppression } from './active-suppressions.sql.ts';

/** Units for the next batch, after `after`, of the assets that a rule may be about, whatever the rule's state. */
export async function planSuppressionRescore(
  tx: Tx,
  cause: Pick<RescorePayload, 'ensembleVersion'> & Required<Pick<RescorePayload, 'suppression'>>,
  after: AssetId | null,
): Promise<NewUnit[]> {
  const rule = await loadSuppression(tx, cause.suppression.suppressionId);
  return rule === null ? [] : batchOf(await assetsOfSuppression(tx, rule, after ?? ''), cause);
}
