import { SEVERITIES, type Severity } from '../kernel/vocabulary.ts';
import { type FindingKind, opensFinding, type RiskComponent } from './risk.ts';

export const FINDING_STATUSES = ['open', 'acknowledged', 'reopened', 'resolved'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

export type KnownFinding = { kind: FindingKind; status: FindingStatus; severity: Severity; notes: string };

/**
 * Where a finding stands after a recompute; null where there is none. What is gone resolves, what returns reopens. One
 * that a person has acknowledged stays so, unless it has become more severe than what was acknowledged.
 */
export function nextStatus(
  known: { status: FindingStatus; severity: Severity } | null,
  severity: Severity | null,
): FindingStatus | null {
  if (severity === null) return known === null ? null : 'resolved';
  if (known === null) return 'open';
  if (known.status === 'resolved') return 'reopened';
  const worse = SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(known.severity);
  return known.status === 'acknowledged' && worse ? 'reopened' : known.status;
}

/** The findings that a recompute adds or changes; one that resolves keeps the severity that it had. */
export function changedFindings(
  known: readonly KnownFinding[],
  components: readonly RiskComponent[],
): KnownFinding[] {
  const present = new Map(components.filter(opensFinding).map((component) => [component.name, component]));
  const byKind = new Map(known.map((finding) => [finding.kind, finding]));
  return [...new Set([...present.keys(), ...byKind.keys()])].flatMap((kind) => {
    const [before, now] = [byKind.get(kind) ?? null, present.get(kind)];
    const status = nextStatus(before, now?.severity ?? null);
    const severity = now?.severity ?? before?.severity;
    const notes = now?.notes ?? before?.notes;
    if (status === null || severity === undefined || notes === undefined) return [];
    const same = before?.status === status && before.severity === severity && before.notes === notes;
    return same ? [] : [{ kind, status, severity, notes }];
  });
}
