import type { TimeField } from './meaning.ts';
import type { Order, SimpleCondition, Subject } from './plan.ts';

/** The time that is meant where no verb says which. */
export const TIME = {
  assets: 'modified',
  findings: 'opened',
  candidates: 'asked',
  actions: 'requested',
  scopes: 'scanned',
} as const satisfies Record<Subject, TimeField & Order>;

/** When a row came to have a status. Null if that is not kept. */
export function statusTime(status: SimpleCondition | undefined): TimeField | null {
  if (status === undefined || ('not' in status && status.not === true)) return null;
  if (status.field === 'actionStatus') return 'moved';
  // A finding that is opened again keeps the time at which it was opened first.
  if (status.field === 'findingStatus')
    return status.any.includes('open') && !status.any.includes('resolved') ? 'opened' : null;
  if (status.field !== 'candidateStatus' || status.any.includes('withdrawn')) return null;
  return status.any.includes('pending') ? 'asked' : 'answered';
}
