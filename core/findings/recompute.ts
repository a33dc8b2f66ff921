import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../db/tx.ts';
import { changedFindings } from './finding-state.ts';
import { loadRiskState, storeRisk } from './risk.sql.ts';
import { assessRisk, RISK_POLICY_VERSION } from './risk.ts';

/**
 * Judges an asset's risk anew from what is stored of it, and opens, reopens or resolves its findings. It reads no
 * source. Whoever changes what an asset is taken for, who may see it, or how it is labelled calls it in the same
 * transaction. Where nothing changed it writes nothing.
 */
export async function recomputeRisk(tx: Tx, assetId: string, now: number): Promise<void> {
  const state = await loadRiskState(tx, assetId, now);
  if (state === null) return;
  const components = assessRisk(state.facts);
  const findings = changedFindings(state.findings, components, state.answer, now);
  const same =
    state.known?.policyVersion === RISK_POLICY_VERSION &&
    isDeepStrictEqual(state.known.components, components);
  if (same && findings.length === 0) return;
  await storeRisk(tx, assetId, components, { changed: findings, answer: state.answer }, now);
}
