import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { READER, startGraphFixture } from '../../support/graph/fixture-tenant.ts';
import { DOCUMENTED_PERMISSIONS } from '../../support/graph/permissions.ts';
import { APP, smallFake } from '../../support/graph/small-tenant.ts';

test('the fake grants what the first steps have an administrator grant', async () => {
  const steps = await readFile(
    new URL('../../../docs/getting-started-production.md', import.meta.url),
    'utf8',
  );
  const [, table = ''] = /### The app registration\n.*?\n(\|.*?)\n\n/s.exec(steps) ?? [];
  // `Sites.Selected` takes the place of others.
  const named = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w.]+)`/g)].map(([, name]) => name),
  );
  expect([...named].sort()).toEqual([...DOCUMENTED_PERMISSIONS].sort());
  const fakes = [await smallFake(), await startGraphFixture()];
  const held = [APP, READER].map(({ clientId }, at) => fakes[at]?.app(clientId).permissions);
  await Promise.all(fakes.map((fake) => fake.close()));
  for (const permissions of held) expect([...(permissions ?? [])].sort()).toEqual([...named].sort());
});
