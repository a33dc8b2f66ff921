import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { READER, startGraphFixture } from '../../support/graph/fixture-tenant.ts';
import { CHAT_PERMISSIONS, DOCUMENTED_PERMISSIONS } from '../../support/graph/permissions.ts';
import { APP, smallFake } from '../../support/graph/small-tenant.ts';

/** The permissions that a table names in its first column. */
const namedIn = (table: string): string[] =>
  [...table.matchAll(/^\| (.*?) \|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name))
    .sort();

const pageOf = (name: string): Promise<string> =>
  readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

test('the fake of teams grants what the page about chat has an administrator grant', async () => {
  const [, table = ''] =
    /## Chat channels of .*?\n(\| Permission.*?)\n\n/s.exec(await pageOf('sources.md')) ?? [];
  expect(namedIn(table)).toEqual([...CHAT_PERMISSIONS].sort());
});

test('the fake grants what the first steps have an administrator grant', async () => {
  const steps = await pageOf('getting-started-production.md');
  const [, table = ''] = /### The app registration\n.*?\n(\|.*?)\n\n/s.exec(steps) ?? [];
  // `Sites.Selected` takes the place of others.
  const named = namedIn(table);
  expect(named).toEqual([...DOCUMENTED_PERMISSIONS].sort());
  const fakes = [await smallFake(), await startGraphFixture()];
  const held = [APP, READER].map(({ clientId }, at) => fakes[at]?.app(clientId).permissions);
  await Promise.all(fakes.map((fake) => fake.close()));
  for (const permissions of held) expect([...(permissions ?? [])].sort()).toEqual(named);
});
