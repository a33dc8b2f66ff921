/**
 * What a `Retry-After` header asks for, in milliseconds from `now`: delay-seconds, or an HTTP date as senders write it
 * (RFC 9110, sections 10.2.3 and 5.6.7). A date that has passed asks for nothing more. Null for anything else.
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  const value = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1_000;
  if (!HTTP_DATE.test(value)) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
