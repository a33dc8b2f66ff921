import type { LogEntry } from '../observability/log-ring.ts';

/** An id that `newId` made for a request. */
const OWN = /^cor_[0-9a-z]{26}$/;

/** A line without the words that people chose: the id of the tenant, and the id that a caller gave a request. */
export function shownLogEntry({ tenantId: _, correlationId, ...entry }: LogEntry): LogEntry {
  const isOwn = typeof correlationId === 'string' && OWN.test(correlationId);
  return { ...entry, ...(isOwn && { correlationId }) };
}
