import type { Subject } from './subject.ts';

/** What a check found. A warning lets the service work; a failure does not, or not safely. */
export type Outcome =
  | { status: 'pass' | 'skipped'; finding: string }
  | { status: 'warn' | 'fail'; finding: string; nextSteps: readonly string[] };

/**
 * One question about a deployment. Its texts name settings, counts, and words and codes of closed sets. They never hold
 * values of settings, names, paths, addresses or content.
 */
export type Check = {
  /** `group.name`. */
  id: `${string}.${string}`;
  /** What it proves where it passes. */
  proves: string;
  /** It is skipped unless these have passed, or warned. */
  needs: readonly Check['id'][];
  /** Its bound in milliseconds, where that of the others is too small. */
  withinMs?: number;
  run(subject: Subject, signal: AbortSignal): Outcome | Promise<Outcome>;
};

export const pass = (finding: string): Outcome => ({ status: 'pass', finding });
export const skipped = (finding: string): Outcome => ({ status: 'skipped', finding });
export const warn = (finding: string, ...nextSteps: string[]): Outcome => ({
  status: 'warn',
  finding,
  nextSteps,
});
export const fail = (finding: string, ...nextSteps: string[]): Outcome => ({
  status: 'fail',
  finding,
  nextSteps,
});

/** `1 table`, `2 tables`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
