import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { removePostgres } from '../../infra/local/postgres.ts';
import { clusterParent, startTestCluster, type TestCluster } from './cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The cluster of this run. */
    cluster: TestCluster;
  }
}

/** A run that was killed leaves its cluster behind; one that is only just starting is younger than this. */
const ABANDONED_MS = 60_000;

/** One cluster per run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandoned(await clusterParent());
  const { cluster, remove } = await startTestCluster();
  project.provide('cluster', cluster);
  return remove;
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith('test-')) continue;
    const folder = path.join(parent, name);
    const stats = await stat(folder).catch(() => undefined);
    if (stats === undefined || Date.now() - stats.mtimeMs < ABANDONED_MS) continue;
    // One that is in use stays; so does one that will not go, which is no reason for this run to fail.
    await removePostgres(folder).catch(() => undefined);
  }
}
