import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { removePostgres } from '../../infra/local/postgres.ts';
import { clusterParents, startTestCluster, type TestCluster } from './cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The cluster of this run. */
    cluster: TestCluster;
  }
}

/** A killed run leaves its cluster behind. Younger clusters may be starting. */
const ABANDONED_MS = 60_000;

let started: ReturnType<typeof startTestCluster> | undefined;

/** One cluster per run, which its projects share: each is set up before the first test, and ends after the last one. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const isFirst = started === undefined;
  started ??= start();
  const { cluster, remove } = await started;
  project.provide('cluster', cluster);
  return isFirst ? remove : undefined;
}

async function start(): ReturnType<typeof startTestCluster> {
  for (const parent of await clusterParents()) await removeAbandoned(parent);
  return startTestCluster();
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith('test-')) continue;
    const folder = path.join(parent, name);
    const stats = await stat(folder).catch(() => undefined);
    if (stats === undefined || Date.now() - stats.mtimeMs < ABANDONED_MS) continue;
    // A cluster in use stays. A cluster that cannot be removed must not fail this run.
    await removePostgres(folder).catch(() => undefined);
  }
}
