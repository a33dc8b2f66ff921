import { existsSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSmbConnector } from '../../../core/connectors/smb/smb-connector.ts';
import { NIGHTLY } from '../../support/property-runs.ts';

const FILES = NIGHTLY ? 100_000 : 30_000;
const live = new AbortController().signal;
const nameOf = (n: number) => `${(n * 7919) % FILES}`.padStart(6, '0');

/** In memory, a hundred thousand names cost no writes to a disk. */
const folder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(folder, 'share-'));
  mkdirSync(join(root, 'flat'));
  // A file has a bounded number of names.
  for (let n = 0; n < FILES; n++) {
    const first = join(root, 'flat', nameOf(n - (n % 10_000)));
    if (n % 10_000 === 0) writeFileSync(first, '');
    else linkSync(first, join(root, 'flat', nameOf(n)));
  }
});
afterAll(() => rmSync(root, { recursive: true }));

it('walks very many files of one folder, each once, in bounded memory', async () => {
  const connector = createSmbConnector({ root, shares: ['.'] });
  const [scope] = (await connector.listScopes(null, live)).scopes;
  const before = process.memoryUsage.rss();
  let peak = before;
  let seen = 0;
  let last = '';
  for (let token: string | null | undefined; token !== null; ) {
    const page = await connector.listItems(scope?.externalId ?? '', token ?? null, live);
    for (const { path } of page.items) {
      if (path <= last) throw new Error(`${path} after ${last}`);
      last = path;
    }
    seen += page.items.length;
    peak = Math.max(peak, process.memoryUsage.rss());
    token = page.nextPageToken;
  }
  expect(seen).toBe(FILES);
  expect((peak - before) / 1e6).toBeLessThan(200);
});
