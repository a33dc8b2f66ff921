import type { Workspace } from '../support/workspace.ts';

/** Told to every process that drains. */
export type DrainTask = { url: string };

/** A queue as the bench sees it. Jobs do nothing; each carries a number. */
export type Queue = {
  name: string;
  /** Module of a process that connects, announces itself, and drains from its next message on. */
  drainer: URL;
  /** Adds jobs in statements of `perStatement`. */
  enqueue(jobs: number, perStatement: number): Promise<void>;
  /** Whether the database has a job that is not recorded as done. */
  hasOpen(): Promise<boolean>;
  /** Makes room, so that no round pays for the one before. */
  clear(): Promise<void>;
};

export type MakeQueue = (urls: { url: string; adminUrl: string }, workspace: Workspace) => Promise<Queue>;

/** `jobs` numbers in batches of at most `size`. */
export function* batches(jobs: number, size: number): Generator<number[]> {
  for (let from = 0; from < jobs; from += size) {
    yield Array.from({ length: Math.min(size, jobs - from) }, (_, n) => from + n);
  }
}
