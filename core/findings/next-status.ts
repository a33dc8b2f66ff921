import { isDeepStrictEqual } from 'node:util';
import { SEVERITIES, type Severity } from '../kernel/vocabulary.ts';
import { type FindingKind, opensFinding, type RiskComponent } from './risk.ts';

export const FINDING_STATUSES = ['open', 'acknowledged', 'reopened', 'resolved'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

export type KnownFinding = {
  kind: FindingKind;
  status: FindingStatus;
  severity: Severity;
  notes: string;
  /** The answer that acknowledged it. Null if a person acknowledged it directly, or nobody did. */
  acknowledgedDecisionId: string | null;
};

/** The newest answer that confirms an asset as public. `isNew`: this recompute follows that answer. */
export type LoweringAnswer = { decisionId: string; principalId: string; decidedAt: Date; isNew: boolean };

/** The condition of a finding as it was just assessed. `answered`: the finding holds in spite of this answer. */
type Condition = Pick<KnownFinding, 'severity' | 'notes'> & {
  answered: Pick<LoweringAnswer, 'decisionId' | 'isNew'> | null;
};
type FindingState = Pick<KnownFinding, 'status' | 'acknowledgedDecisionId'>;

/**
 * The state of a finding after a recompute, or null if there is none. A finding resolves when its condition no longer
 * holds, and reopens when it holds again. A finding that a person acknowledged stays acknowledged, unless it has
 * become more severe. An answer acknowledges the finding that holds in spite of it, unless a person already has. That
 * applies from the recompute that follows the answer until the answer is revised or the condition differs.
 */
export function nextStatus(
  known: (FindingState & Pick<KnownFinding, 'severity' | 'notes'>) | null,
  condition: Condition | null,
): FindingState | null {
  const to = (status: FindingStatus, acknowledgedDecisionId: string | null = null) => ({
    status,
    acknowledgedDecisionId,
  });
  if (condition === null) return known === null ? null : to('resolved');
  const { severity, notes, answered } = condition;
  const worsened = known === null ? 0 : SEVERITIES.indexOf(severity) - SEVERITIES.indexOf(known.severity);
  const by = known?.acknowledgedDecisionId ?? null;
  const isByPerson = known?.status === 'acknowledged' && by === null;
  if (isByPerson && worsened <= 0) return to('acknowledged');
  if (answered?.isNew) return to('acknowledged', answered.decisionId);
  if (known === null) return to('open');
  if (known.status === 'resolved' || isByPerson) return to('reopened');
  if (known.status !== 'acknowledged') return to(known.status);
  const isOther = worsened > 0 || (worsened === 0 && notes !== known.notes);
  return isOther || by !== answered?.decisionId ? to('reopened') : to('acknowledged', by);
}

/** The findings that a recompute adds or changes. A resolved finding keeps its severity. */
export function changedFindings(
  known: readonly KnownFinding[],
  components: readonly RiskComponent[],
  answer: LoweringAnswer | null,
): KnownFinding[] {
  const present = new Map(components.filter(opensFinding).map((component) => [component.name, component]));
  const byKind = new Map(known.map((finding) => [finding.kind, finding]));
  return [...new Set([...present.keys(), ...byKind.keys()])].flatMap((kind) => {
    const [before, found] = [byKind.get(kind) ?? null, present.get(kind)];
    const answered = found?.inSpite ? answer : null;
    const state = nextStatus(before, found ? { ...found, answered } : null);
    const severity = found?.severity ?? before?.severity;
    const notes = found?.notes ?? before?.notes;
    if (state === null || severity === undefined || notes === undefined) return [];
    const finding = { kind, ...state, severity, notes };
    return isDeepStrictEqual(before, finding) ? [] : [finding];
  });
}
