import type { Outcome } from '../../core/commands/doctor/check.ts';
import { CHECKS } from '../../core/commands/doctor/checks.ts';
import { runChecks, selected } from '../../core/commands/doctor/run-checks.ts';
import { openSubject } from '../../core/commands/doctor/subject.ts';

/** The outcomes of checks and groups of the doctor in this environment, by id, with those that they need. */
export async function examine(
  env: Readonly<Record<string, string>>,
  ...only: readonly string[]
): Promise<Record<string, Outcome>> {
  const outcomes: Record<string, Outcome> = {};
  for await (const { check, outcome } of runChecks(selected(CHECKS, new Set(only)), openSubject(env)))
    outcomes[check.id] = outcome;
  return outcomes;
}

/** The outcome of one check. */
export async function outcomeOf(id: string, env: Readonly<Record<string, string>>): Promise<Outcome> {
  const { [id]: outcome } = await examine(env, id);
  if (outcome === undefined) throw new Error(`The doctor has no check ${id}.`);
  return outcome;
}
