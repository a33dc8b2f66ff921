import type { AuditEntry } from '../audit/event.ts';
import type { Principal } from '../authz/principal.ts';

/** Who changes something, and the audit of their request. `now` is in milliseconds. */
export type By = { principal: Principal; audit: (entry: AuditEntry) => void; now: number };
