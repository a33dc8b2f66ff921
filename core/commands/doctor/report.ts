import { styleText } from 'node:util';
import type { Outcome } from './check.ts';
import type { Result } from './run-checks.ts';

const MARKS = {
  pass: ['✓', 'green'],
  warn: ['!', 'yellow'],
  fail: ['✗', 'red'],
  skipped: ['–', 'gray'],
} as const satisfies Record<Outcome['status'], readonly [string, Parameters<typeof styleText>[0]]>;

/** One line for a result, and below it what to do. */
export function resultText({ check, outcome }: Result, idWidth: number): string {
  const [mark, color] = MARKS[outcome.status];
  const steps = 'nextSteps' in outcome ? outcome.nextSteps : [];
  return [
    `${styleText(color, mark)} ${check.id.padEnd(idWidth)}  ${outcome.finding}`,
    ...steps.map((step) => `    ${step}`),
  ].join('\n');
}

const countsOf = (results: readonly Result[]) => {
  const count = (status: Outcome['status']) =>
    results.filter(({ outcome }) => outcome.status === status).length;
  return { pass: count('pass'), warn: count('warn'), fail: count('fail'), skipped: count('skipped') };
};

export function summaryText(results: readonly Result[]): string {
  const { pass, warn, fail, skipped } = countsOf(results);
  return `${pass} passed, ${warn} to look at, ${fail} failed, ${skipped} skipped.`;
}

/** The whole report as one JSON object. */
export const reportJson = (results: readonly Result[]): string =>
  JSON.stringify({
    ok: results.every(({ outcome }) => outcome.status !== 'fail'),
    counts: countsOf(results),
    checks: results.map(({ check: { id, proves }, outcome, milliseconds }) => ({
      id,
      proves,
      ...outcome,
      milliseconds,
    })),
  });
