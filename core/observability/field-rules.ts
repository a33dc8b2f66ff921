import { routeOf } from '../kernel/route.ts';
import { safeText } from '../kernel/safe-text.ts';

/**
 * Makes of any value one that may leave the process in a log line or a span. `accepts` exists for the compiler only:
 * what a caller may pass.
 */
type Rule<T> = { (value: unknown): string | number; readonly accepts?: T };

export type AcceptedBy<R> = R extends Rule<infer T> ? T : never;

const redacted = safeText(undefined);

export const text =
  (pattern: RegExp): Rule<string> =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? safeText(value) : redacted;

export const oneOf =
  <T extends string>(words: readonly T[]): Rule<T> =>
  (value) =>
    words.includes(value as T) ? safeText(value) : redacted;

export const amount: Rule<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : redacted;

const ROUTE = /^\/api(?:\/(?:[a-z][a-z0-9.-]*|:[A-Za-z]+))*$/;

/** A route template. A path that was called is none. */
export const route: Rule<`/api/${string}`> = (value) => {
  if (typeof value !== 'string') return redacted;
  const template = safeText(routeOf(value));
  return ROUTE.test(template) ? template : redacted;
};
