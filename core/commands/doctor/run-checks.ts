import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, fail, type Outcome, skipped } from './check.ts';
import { reasonOf } from './reason.ts';
import type { Subject } from './subject.ts';

export type Result = { check: Check; outcome: Outcome; milliseconds: number };

const WITHIN_MS = 10_000;

/** Runs the checks in their order, each within its bound. A check without what it needs is skipped. */
export async function* runChecks(checks: readonly Check[], subject: Subject): AsyncGenerator<Result> {
  const unproved = new Set<string>();
  for (const check of checks) {
    const since = performance.now();
    const lacking = check.needs.find((id) => unproved.has(id));
    const outcome = lacking === undefined ? await bounded(check, subject) : skipped(`It needs ${lacking}.`);
    if (outcome.status === 'fail' || outcome.status === 'skipped') unproved.add(check.id);
    yield { check, outcome, milliseconds: Math.round(performance.now() - since) };
  }
}

async function bounded(check: Check, subject: Subject): Promise<Outcome> {
  const withinMs = check.withinMs ?? WITHIN_MS;
  const late = new AbortController();
  const ended = new AbortController();
  const lateness = sleep(withinMs, undefined, { signal: ended.signal }).then(
    () => {
      late.abort();
      return tooLate(withinMs);
    },
    () => tooLate(withinMs),
  );
  try {
    return await Promise.race([lateness, check.run(subject, late.signal)]);
  } catch (error) {
    if (late.signal.aborted) return tooLate(withinMs);
    return fail(
      `The check itself failed: ${reasonOf(error)}.`,
      'This is a fault of the doctor: report it with this line.',
    );
  } finally {
    ended.abort();
  }
}

const tooLate = (withinMs: number) =>
  fail(
    `There was no answer within ${withinMs / 1000} s.`,
    'Check that this machine may reach what the settings name, and that it is not overloaded.',
  );

/** The checks that are asked for, by id or by group, with all that they need, in order. All of them for `null`. */
export function selected(checks: readonly Check[], only: ReadonlySet<string> | null): Check[] {
  if (only === null) return [...checks];
  const wanted = new Set<string>(checks.filter((check) => isAskedFor(check, only)).map(({ id }) => id));
  // What is needed comes earlier in the list, so one pass from its end finds all of it.
  for (const { id, needs } of checks.toReversed())
    if (wanted.has(id)) for (const need of needs) wanted.add(need);
  return checks.filter(({ id }) => wanted.has(id));
}

export const isAskedFor = ({ id }: Check, only: ReadonlySet<string> | null): boolean =>
  only === null || only.has(id) || only.has(groupOf(id));

export const groupOf = (id: string): string => id.slice(0, id.indexOf('.'));
