import { isDeepStrictEqual } from 'node:util';
import type { Statement } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { builtInTitles } from '../detectors/on-demand.ts';
import { lockAssets } from './lock-assets.sql.ts';
import { changedFindings } from './next-status.ts';
import { type Judgement, loadRiskStates, storeRisks, storeSeverities } from './risk.sql.ts';
import { assessRisk, RISK_POLICY_VERSION } from './risk.ts';

/**
 * Assesses the risk of an asset from stored facts and stores the result: opens, reopens or resolves its findings. It
 * reads no source, and writes nothing if nothing changed. Call it in the transaction that changes the classification,
 * the access or the label of an asset.
 * @param decisionId the decision that it follows, or null
 */
export const recomputeRisk = (
  tx: Tx,
  assetId: string,
  now: number,
  decisionId: string | null = null,
): Promise<void> => recomputeRisks(tx, [assetId], now, decisionId);

/** The same for several assets at once. */
export async function recomputeRisks(
  tx: Tx,
  assetIds: readonly string[],
  now: number,
  decisionId: string | null = null,
): Promise<void> {
  const [, judged] = await Promise.all([
    lockAssets(tx, assetIds),
    judgeRisks(tx, assetIds, now, { decisionId }),
  ]);
  if (judged.length === 0) return;
  await Promise.all([storeRisks(tx, judged, now), storeSeverities(tx, judged)]);
}

type Judging = {
  /** See `loadRiskStates`. */
  seen?: Statement;
  decisionId?: string | null;
};

/**
 * Assesses the risk of an asset without storing the result. Null if the result equals the stored one, or if the asset
 * does not exist.
 */
export async function judgeRisk(
  tx: Tx,
  assetId: string,
  now: number,
  judging: Judging = {},
): Promise<Judgement | null> {
  const [judgement] = await judgeRisks(tx, [assetId], now, judging);
  return judgement ?? null;
}

async function judgeRisks(
  tx: Tx,
  assetIds: readonly string[],
  now: number,
  { seen, decisionId = null }: Judging,
): Promise<Judgement[]> {
  const [states, titles] = await Promise.all([loadRiskStates(tx, assetIds, now, seen), builtInTitles()]);
  return states.flatMap((state): Judgement[] => {
    const { assetId } = state;
    const components = assessRisk(state.facts, titles);
    const answer = state.answer && { ...state.answer, isNew: state.answer.decisionId === decisionId };
    const findings = changedFindings(state.findings, components, answer);
    const isSame =
      state.known?.policyVersion === RISK_POLICY_VERSION &&
      isDeepStrictEqual(state.known.components, components);
    return isSame && findings.length === 0 ? [] : [{ assetId, components, findings, answer }];
  });
}
