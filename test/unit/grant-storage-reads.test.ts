import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const ACCOUNT = '/subscriptions/sub-1/resourceGroups/rg/providers/Microsoft.Storage/storageAccounts/acct';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'grant-'));
  // Notes each call, one argument a line, and knows no role yet.
  writeFileSync(path.join(folder, 'az'), `#!/bin/sh\nprintf '%s\\n' "$@" '--end' >> "${folder}/calls"\n`, {
    mode: 0o755,
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(...args: string[]) {
  const { status } = spawnSync('bash', [path.join(root, 'infra/azure/grant-storage-reads.sh'), ...args], {
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
  });
  return status;
}
const calls = () =>
  readFileSync(path.join(folder, 'calls'), 'utf8')
    .split('--end\n')
    .map((call) => call.split('\n'));
const argument = (call: readonly string[], name: string) => call[call.indexOf(name) + 1] ?? '';

/** The rights of a documented table row: `data` before those of the data plane. */
function documented(): string[] {
  const text = readFileSync(path.join(root, 'docs/permissions.md'), 'utf8');
  const rows = text.slice(text.indexOf('## Azure storage')).match(/^\| .*`.*$/gm) ?? [];
  return rows.flatMap((row) => {
    const [, cell = ''] = row.split('|');
    const rights = [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, right = '']) => right);
    return cell.includes('Microsoft.Storage') ? [] : rights;
  });
}

test('the script grants what the page names, and nothing that writes', () => {
  expect(run('--account-id', ACCOUNT, '--principal', 'p', '--container', 'c1', '--share', 's1')).toBe(0);
  const texts = calls()
    .filter((call) => call.includes('create') && call.includes('definition'))
    .map((call) => call.slice(call.indexOf('--role-definition') + 1).join('\n'));
  const roles = texts.map((text) => JSON.parse(text) as { Actions: string[]; DataActions: string[] });
  const granted = roles.flatMap(({ Actions, DataActions }) => [...Actions, ...DataActions]);
  expect(granted.map((right) => right.replace('Microsoft.Storage/storageAccounts/', '')).toSorted()).toEqual(
    documented().toSorted(),
  );
  expect(
    granted.filter((right) => !/read$|getAcl\/action$|readFileBackupSemantics\/action$/.test(right)),
  ).toEqual([]);
});

test('each container and share is a scope; settings alone are of the account', () => {
  run('--account-id', ACCOUNT, '--principal', 'p', '--container', 'c1', '--container', 'c2', '--share', 's1');
  const assigned = calls().filter((call) => call.includes('assignment'));
  expect(assigned.map((call) => argument(call, '--scope').replace(ACCOUNT, ''))).toEqual([
    '',
    '/blobServices/default/containers/c1',
    '/blobServices/default/containers/c2',
    '/fileServices/default/fileshares/s1',
  ]);
  expect(new Set(assigned.map((call) => argument(call, '--assignee-object-id')))).toEqual(new Set(['p']));
});

test('roles are made and looked for in the subscription of the account', () => {
  run('--account-id', ACCOUNT, '--principal', 'p', '--container', 'c1', '--share', 's1');
  const definitions = calls().filter((call) => call.includes('definition'));
  expect(definitions.map((call) => argument(call, '--subscription'))).toEqual(Array(6).fill('sub-1'));
});

test('without an account, an identity or a selection nothing is called', () => {
  expect(run('--account-id', ACCOUNT, '--principal', 'p')).toBe(64);
  expect(run('--account-id', 'acct', '--principal', 'p', '--share', 's')).toBe(64);
  expect(run('--account-id', ACCOUNT, '--share', 's')).toBe(64);
  expect(run('--account-id')).toBe(64);
  expect(() => calls()).toThrow();
});
