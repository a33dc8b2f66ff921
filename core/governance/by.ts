import type { AuditEntry } from '../audit/event.ts';
import type { Principal } from '../authz/principal.ts';

/** Who changes something of governance, in which request. `now` in milliseconds. */
export type By = { principal: Principal; audit: (entry: AuditEntry) => void; now: number };
