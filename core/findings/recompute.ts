import { isDeepStrictEqual } from 'node:util';
import type { Statement } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { changedFindings } from './next-standing.ts';
import { type Judgement, loadRiskState, lockJudged, storeRisk, storeSeverity } from './risk.sql.ts';
import { assessRisk, RISK_POLICY_VERSION } from './risk.ts';

/**
 * Assesses the risk of an asset from stored facts and stores the result: opens, reopens or resolves its findings. It
 * reads no source, and writes nothing if nothing changed. Call it in the transaction that changes the classification,
 * the access or the label of an asset.
 * @param decisionId the decision that it follows, or null
 */
export async function recomputeRisk(
  tx: Tx,
  assetId: string,
  now: number,
  decisionId: string | null = null,
): Promise<void> {
  const [, judgement] = await Promise.all([
    lockJudged(tx, assetId),
    judgeRisk(tx, assetId, now, { decisionId }),
  ]);
  if (judgement === null) return;
  await Promise.all([storeRisk(tx, assetId, judgement, now), storeSeverity(tx, assetId, judgement)]);
}

/**
 * Assesses the risk of an asset without storing the result. Null if the result equals the stored one, or if the asset
 * does not exist.
 * @param seen see `loadRiskState`
 */
export async function judgeRisk(
  tx: Tx,
  assetId: string,
  now: number,
  { seen, decisionId = null }: { seen?: Statement; decisionId?: string | null } = {},
): Promise<Judgement | null> {
  const state = await loadRiskState(tx, assetId, now, seen);
  if (state === null) return null;
  const components = assessRisk(state.facts);
  const answer = state.answer && { ...state.answer, isNew: state.answer.decisionId === decisionId };
  const findings = changedFindings(state.findings, components, answer);
  const isSame =
    state.known?.policyVersion === RISK_POLICY_VERSION &&
    isDeepStrictEqual(state.known.components, components);
  return isSame && findings.length === 0 ? null : { components, findings, answer };
}
