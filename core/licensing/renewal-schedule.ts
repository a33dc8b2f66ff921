import type { Terms } from './terms.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A renewal is asked for this long before the end, or in the last quarter of a shorter term. */
const RENEWED_BEFORE_END_MS = 30 * DAY_MS;
const LONGEST_WAIT_MS = DAY_MS;

/** When a renewal is first asked for, in milliseconds of effective time. */
export const renewFrom = ({ issuedAt, endsAt }: Terms): number =>
  endsAt - Math.min(RENEWED_BEFORE_END_MS, (endsAt - issuedAt) / 4);

/** Milliseconds to wait after this many failures in a row: one hour, doubled each time, at most a day. */
export const retryDelay = (failures: number): number =>
  Math.min(HOUR_MS * 2 ** Math.max(failures - 1, 0), LONGEST_WAIT_MS);

/** Whether a renewal is due. @param attempt the last one, in milliseconds of the mark; null if there was none */
export function isRenewalDue(
  terms: Terms,
  effectiveTime: number,
  attempt: { at: number; failures: number } | null,
): boolean {
  if (effectiveTime < renewFrom(terms)) return false;
  return attempt === null || effectiveTime - attempt.at >= retryDelay(attempt.failures);
}
