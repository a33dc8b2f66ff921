import type { AuditEntry } from '../audit/event.ts';
import type { Principal } from '../authz/principal.ts';

/** Who changes something about people, in which request. `now` in milliseconds. */
export type By = {
  principal: Pick<Principal, 'principalId'>;
  audit: (entry: AuditEntry) => void;
  now: number;
};
