import { isDeepStrictEqual } from 'node:util';
import type { Statement } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { changedFindings } from './next-standing.ts';
import { type Judgement, loadRiskState, lockJudged, storeRisk, storeSeverity } from './risk.sql.ts';
import { assessRisk, RISK_POLICY_VERSION } from './risk.ts';

/**
 * Judges the risk of an asset from what is stored of it and stores the result: opens, reopens or resolves its findings.
 * It reads no source. Call it in the transaction that changes the classification, the access or the label of an asset.
 * Where nothing changed it writes nothing.
 * @param decisionId of the answer that it follows, or null
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
 * Judges the risk of an asset and writes nothing. Null where the result is the stored one, or there is no such asset.
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
