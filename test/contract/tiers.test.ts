import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isNightly, NIGHTLY, OWN_PROCESS, RELEASE } from '../tiers.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** `a/{b,c}` as `a/b` and `a/c`. */
function alternatives(glob: string): string[] {
  const [group, inside = ''] = /\{([^{}]+)\}/.exec(glob) ?? [];
  if (group === undefined) return [glob];
  return inside.split(',').flatMap((each) => alternatives(glob.replace(group, each)));
}

const filesOf = (globs: readonly string[]) =>
  globs.flatMap(alternatives).map((glob) => ({ glob, files: globSync(glob, { cwd: root }) }));

test('each name in a list of test files is that of a file', () => {
  const missing = filesOf([...OWN_PROCESS, ...RELEASE, ...NIGHTLY]).filter(({ files }) => files.length === 0);
  expect(missing.map(({ glob }) => glob)).toEqual([]);
});

test('a file is in one list at most once', () => {
  const all = filesOf([...RELEASE, ...NIGHTLY]).flatMap(({ files }) => files);
  expect(all.filter((file, index) => all.indexOf(file) !== index)).toEqual([]);
});

// The rest of these subjects may be proved nightly (docs/adr/0035).
test.each([
  'test/http/{no-leak,sign-in,sign-in-attacks,access-tokens,sessions,canary}.test.ts',
  'test/db/{audit,audit-checkpoints,audit-resume,row-level-security}.test.ts',
  'test/db/{crash,crash-postgres,migrate,migration-plan}.test.ts',
  'test/{db/alerts,http/traces,unit/extractors/ocr/ocr}.test.ts',
  'test/release/{upgrade,released-client,console-newcomer,console-privacy,production}.test.ts',
])('CI runs %s', (glob) => {
  const all = filesOf([glob]).flatMap(({ files }) => files);
  expect(all.length).toBeGreaterThan(2);
  expect(all.filter((file) => isNightly(file))).toEqual([]);
});
