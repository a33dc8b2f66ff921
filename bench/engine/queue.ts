import type { Workspace } from '../support/workspace.ts';

/** Sent to every draining process. */
export type DrainTask = { url: string };

/** A queue for the benchmark. Jobs do nothing. Each has a number. */
export type Queue = {
  name: string;
  /** A module that connects, announces itself, and drains after its next message. */
  drainer: URL;
  /** Adds jobs, `perStatement` in each statement. */
  enqueue(jobs: number, perStatement: number): Promise<void>;
  /** Whether the database has a job that is not recorded as done. */
  hasOpen(): Promise<boolean>;
  /** Removes all jobs, so that a round does not depend on the previous one. */
  clear(): Promise<void>;
};

export type MakeQueue = (urls: { url: string; adminUrl: string }, workspace: Workspace) => Promise<Queue>;

/** The numbers of `jobs` in batches of at most `size`. */
export function* batches(jobs: number, size: number): Generator<number[]> {
  for (let from = 0; from < jobs; from += size) {
    yield Array.from({ length: Math.min(size, jobs - from) }, (_, n) => from + n);
  }
}
