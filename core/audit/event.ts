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

/** An act as a handler reports it. Details are ids, counts and enumerated values, never names or content. */
export type AuditEntry = {
  category: AuditCategory;
  type: string;
  target?: { kind: string; id: string };
  details?: Readonly<Record<string, AuditDetail>>;
  /** The capability that the caller lacked. */
  policyDecision?: string;
};

export type AuditSource = {
  tenantId: TenantId;
  principalId: PrincipalId | null;
  correlationId: string;
  /** Milliseconds. */
  now: number;
};

const DETAIL_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

/**
 * The event as it is stored in the chain: canonical JSON (RFC 8785). `JSON.stringify` writes it because the members
 * are in the order of their names. Strings that are not plain identifiers are redacted.
 */
export function auditText(source: AuditSource, entry: AuditEntry): string {
  return JSON.stringify({
    at: new Date(source.now).toISOString(),
    category: entry.category,
    correlationId: source.correlationId,
    details: inOrder(entry.details ?? {}),
    policyDecision: entry.policyDecision ?? null,
    principalId: source.principalId,
    target: entry.target ? { id: safeText(entry.target.id), kind: entry.target.kind } : null,
    tenantId: source.tenantId,
    type: entry.type,
  });
}

function inOrder(details: Readonly<Record<string, AuditDetail>>): Record<string, AuditDetail> {
  const ordered: Record<string, AuditDetail> = {};
  for (const name of Object.keys(details).sort()) {
    const value = details[name] ?? null;
    // A name of digits would change its position in the object. Only finite numbers have a canonical form.
    if (!DETAIL_NAME.test(name)) throw new TypeError('Not the name of an audit detail');
    if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('Not a finite number');
    ordered[name] = typeof value === 'string' ? safeText(value) : value;
  }
  return ordered;
}
