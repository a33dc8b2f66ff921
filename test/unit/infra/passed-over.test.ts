import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { passedOver } from '../../../infra/local/passed-over.ts';

const live = new AbortController().signal;

async function share(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'passed-over-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(path.join(folder, 'deep', 'er'), { recursive: true });
  await writeFile(path.join(folder, 'deep', 'plain.txt'), 'text');
  return folder;
}

test('a folder of plain files leaves nothing to say', async () => {
  expect(await passedOver(await share(), live)).toEqual([]);
});

test('links and special files are counted wherever they lie, and no link is followed', async () => {
  const folder = await share();
  await symlink(folder, path.join(folder, 'deep', 'loop'));
  await symlink('nowhere', path.join(folder, 'broken'));
  execFileSync('mkfifo', [path.join(folder, 'deep', 'er', 'pipe')]);
  expect(await passedOver(folder, live)).toEqual([
    '2 symbolic links were passed over: a link is never followed.',
    '1 special file was passed over: pipes, sockets and devices are never opened.',
  ]);
});
