import canonicalize from 'canonicalize';
import type { PrincipalId, TenantId } from '../kernel/ids.ts';
import { safeText } from '../kernel/safe-text.ts';

export const AUDIT_CATEGORIES = [
  'auth',
  'config',
  'governance',
  'scan',
  'evidence_access',
  'review',
  'analyst',
  'action',
  'model',
] as const;

export type AuditCategory = (typeof AUDIT_CATEGORIES)[number];

export type AuditDetail = string | number | boolean | null;

/** What a handler says of an act. Details are ids, counts and enumerated values, never names or content. */
export type AuditEntry = {
  category: AuditCategory;
  type: string;
  target?: { kind: string; id: string };
  details?: Readonly<Record<string, AuditDetail>>;
  /** The capability whose absence denied the act. */
  policyDecision?: string;
};

export type AuditSource = {
  tenantId: TenantId;
  principalId: PrincipalId | null;
  correlationId: string;
  /** Milliseconds. */
  now: number;
};

/** The event as it is chained: RFC 8785 canonical JSON. Strings that are not plain identifiers are redacted. */
export function auditText(source: AuditSource, entry: AuditEntry): string {
  const details = Object.entries(entry.details ?? {}).map(([key, value]) => [
    key,
    typeof value === 'string' ? safeText(value) : value,
  ]);
  const text = canonicalize({
    at: new Date(source.now).toISOString(),
    category: entry.category,
    correlationId: source.correlationId,
    details: Object.fromEntries(details),
    policyDecision: entry.policyDecision ?? null,
    principalId: source.principalId,
    target: entry.target ? { kind: entry.target.kind, id: safeText(entry.target.id) } : null,
    tenantId: source.tenantId,
    type: entry.type,
  });
  if (text === undefined) throw new Error('an audit event has no canonical form');
  return text;
}
