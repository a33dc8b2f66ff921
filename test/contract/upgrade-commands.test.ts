import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/* The commands of an upgrade in docs/deployment.md do the steps that the page names, on every platform. */
const page = await readFile(path.resolve(import.meta.dirname, '../../docs/deployment.md'), 'utf8');
/** Those of Azure define what the upgrade of Container Apps calls. */
const AZURE = [...(/## Azure\n([\s\S]*?)\n## /.exec(page)?.[1] ?? '').matchAll(/```sh\n([\s\S]*?)```/g)]
  .map(([, commands = '']) => commands)
  .join('');
const upgrades = /## Upgrades\n([\s\S]*?)\n### The plan/.exec(page)?.[1] ?? expect.unreachable();
const blocks = [...upgrades.matchAll(/([^\n]+)\n\n```sh\n([\s\S]*?)```/g)].map(
  ([, before = '', commands = '']) => ({ before, commands }),
);
const commandsFor = (platform: string) =>
  blocks.find(({ before }) => before.includes(platform))?.commands ?? expect.unreachable(platform);

/** Plan, backup, migration, doctor, replacement. */
const BACKUP = /^(?:date --utc|pg_dump|.* pg_dump ).*$/;
test.each([
  ['Compose:', [/ migrate --plan$/, BACKUP, / run --rm migrate$/, / doctor$/, / up --detach --wait$/]],
  [
    'Container Apps',
    [/^released .*"--plan"/, BACKUP, /^job governance-migrate$/, /^released .*"doctor"/, /^deploy$/],
  ],
  [
    'A Functions plan',
    [/migrate --plan$/, BACKUP, /^released migrate$/, /^released doctor /, /--parameters hostImage/],
  ],
  [
    'A folder',
    [/^npm run migrate -- --plan$/, BACKUP, /^npm run migrate$/, /^npm run doctor$/, /assemble\.ts host/],
  ],
])('%s has each step of an upgrade, in order', (platform, steps) => {
  const lines = commandsFor(platform).trim().split('\n');
  const found = steps.map((step) => lines.findIndex((line) => step.test(line)));
  expect(found).not.toContain(-1);
  expect(found).toEqual(found.toSorted((a, b) => a - b));
});

/** Writes down what it is called with. Each execution runs for a while, and then ends well. */
const AZ = `#!/bin/sh
echo "az $*" >> calls
case "$*" in
  *'job start'*) echo "$(grep -c 'job start' calls)-of-a-job" ;;
  *'execution show'*) [ $(tail -n 1 calls | grep -cFf - calls) -gt 2 ] && echo Succeeded || echo Running ;;
  *) echo answered ;;
esac
`;

test('on Container Apps, each job of install and upgrade ends before the next command', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'upgrade-'));
  try {
    for (const [name, text] of Object.entries({ az: AZ, sleep: '#!/bin/sh\n' })) {
      await writeFile(path.join(folder, name), text);
      await chmod(path.join(folder, name), 0o755);
    }
    const PATH = `${folder}:${process.env.PATH}`;
    const commands = ['-e', '-o', 'pipefail', '-c', `${AZURE}${commandsFor('Container Apps')}`];
    await promisify(execFile)('bash', commands, { cwd: folder, env: { PATH } });
    const calls = (await readFile(path.join(folder, 'calls'), 'utf8')).trim().split('\n');
    const ABOUT =
      /job start .*--name (\S+)|--job-execution-name (\S+)|startswith '([^']+)'|(deployment group)/;
    const what = calls.flatMap((call) => ABOUT.exec(call)?.findLast((part) => part !== undefined) ?? []);
    const ended = (nth: number) => Array(3).fill(`${nth}-of-a-job`);
    const ofCommand = (nth: number) => ['governance-command', ...ended(nth), `${nth}-of-a-job`];
    const install = ['deployment group', 'governance-logins', ...ended(1), 'governance-migrate', ...ended(2)];
    const tenant = ['deployment group', ...ofCommand(3)];
    const upgrade = ['deployment group', ...ofCommand(4), 'governance-migrate', ...ended(5)];
    const doctor = ['deployment group', ...ofCommand(6)];
    expect(what).toEqual([...install, ...tenant, ...upgrade, ...doctor, 'deployment group']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
