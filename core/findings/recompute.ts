import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../db/tx.ts';
import { changedFindings } from './finding-state.ts';
import { loadRiskState, storeRisk } from './risk.sql.ts';
import { assessRisk, RISK_POLICY_VERSION } from './risk.ts';

/**
 * Judges an asset's risk anew from what is stored of it, and opens, reopens or resolves its findings. It reads no
 * source. Whoever changes what an asset is taken for, who may see it, or how it is labelled calls it in the same
 * transaction. Where nothing changed it writes nothing.
 * @param decisionId of the answer that it follows, or null
 */
export async function recomputeRisk(
  tx: Tx,
  assetId: string,
  now: number,
  decisionId: string | null = null,
): Promise<void> {
  const state = await loadRiskState(tx, assetId, now);
  if (state === null) return;
  const components = assessRisk(state.facts);
  const answer = state.answer && { ...state.answer, isNew: state.answer.decisionId === decisionId };
  const findings = changedFindings(state.findings, components, answer);
  const same =
    state.known?.policyVersion === RISK_POLICY_VERSION &&
    isDeepStrictEqual(state.known.components, components);
  if (same && findings.length === 0) return;
  await storeRisk(tx, assetId, components, { changed: findings, answer }, now);
}
