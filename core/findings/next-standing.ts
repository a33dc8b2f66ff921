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
  /** The answer that acknowledges it; null where a person did so apart, or nobody did. */
  acknowledgedDecisionId: string | null;
};

/** The newest answer by which an owner takes an asset for public. `isNew`: the recompute follows it. */
export type LoweringAnswer = { decisionId: string; principalId: string; decidedAt: Date; isNew: boolean };

/** The condition of a finding as it was just judged; `answered`: it holds in spite of this answer. */
type Condition = Pick<KnownFinding, 'severity' | 'notes'> & {
  answered: Pick<LoweringAnswer, 'decisionId' | 'isNew'> | null;
};
type Standing = Pick<KnownFinding, 'status' | 'acknowledgedDecisionId'>;

/**
 * Where a finding stands after a recompute; null where there is none. What is gone resolves, what returns reopens. One
 * that a person has acknowledged stays so, unless it has become more severe than what was acknowledged. An answer in
 * spite of which it holds acknowledges what no person has: in the recompute that follows the answer, and as long as the
 * answer stands and it is as it was then.
 */
export function nextStanding(
  known: (Standing & Pick<KnownFinding, 'severity' | 'notes'>) | null,
  condition: Condition | null,
): Standing | null {
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

/** The findings that a recompute adds or changes; one that resolves keeps the severity that it had. */
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
    const standing = nextStanding(before, found ? { ...found, answered } : null);
    const severity = found?.severity ?? before?.severity;
    const notes = found?.notes ?? before?.notes;
    if (standing === null || severity === undefined || notes === undefined) return [];
    const finding = { kind, ...standing, severity, notes };
    return isDeepStrictEqual(before, finding) ? [] : [finding];
  });
}
