import { timingSafeEqual } from 'node:crypto';

export const CSRF_HEADER = 'x-svc-csrf';

const MUTATING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Whether a request with a session may continue: it changes nothing, or it sends the session's own token. */
export function csrfHolds(method: string, presented: string | null, expected: string): boolean {
  if (!MUTATING.has(method)) return true;
  const given = Buffer.from(presented ?? '');
  const wanted = Buffer.from(expected);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
