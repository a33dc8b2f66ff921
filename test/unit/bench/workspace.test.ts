import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeAbandoned } from '../../../bench/support/workspace.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'workspaces-'));
});
afterEach(() => rm(parent, { recursive: true }));

test('what an ended bench left is removed, and nothing of one that runs', async () => {
  const { pid: ended } = spawnSync(process.execPath, ['-e', '']);
  for (const name of [`bench-${ended}-a`, `bench-${process.pid}-b`, 'bench-notes', 'other']) {
    await mkdir(path.join(parent, name));
  }
  await removeAbandoned(parent);
  expect((await readdir(parent)).sort()).toEqual([`bench-${process.pid}-b`, 'bench-notes', 'other']);
});
