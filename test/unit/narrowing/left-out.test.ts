import { expect, test } from 'vitest';
import { leavesOut, type Narrowing, type Placed } from '../../../core/narrowing/left-out.ts';
import { type Only, OnlySchema, SetRulesSchema } from '../../../core/narrowing/narrowing-schema.ts';

const item = (path: string | null, more: Partial<Placed> = {}): Placed => ({
  path,
  name: path?.split('/').at(-1) ?? 'unknown.txt',
  kind: 'file',
  sizeBytes: 100,
  modifiedAt: '2026-05-01T00:00:00Z',
  ...more,
});
const reason = (narrowing: Partial<Narrowing>, one: Placed) =>
  leavesOut({ only: null, rules: [], ...narrowing })(one);
const only = (parts: Only, one: Placed) => reason({ only: parts }, one)?.reason ?? null;

test('the first rule that matches is the reason, before what a scan is narrowed to', () => {
  const rules = [
    { ruleId: 'rul_1', pattern: '*.bak' },
    { ruleId: 'rul_2', pattern: 'old' },
  ];
  const narrowing = { only: { formats: ['pdf'] }, rules };
  expect(reason(narrowing, item('old/a.bak'))).toEqual({ reason: 'rule', ruleId: 'rul_1' });
  expect(reason(narrowing, item('old/a.pdf'))).toEqual({ reason: 'rule', ruleId: 'rul_2' });
  expect(reason(narrowing, item('new/a.txt'))).toEqual({ reason: 'format', ruleId: null });
  expect(reason(narrowing, item('new/a.PDF'))).toBeNull();
});

test('folders, formats, sizes and ages each leave out what is outside', () => {
  expect(only({ folders: ['hr', 'it/logs'] }, item('hr/a.txt'))).toBeNull();
  expect(only({ folders: ['hr', 'it/logs'] }, item('it/a.txt'))).toBe('folder');
  expect(only({ formats: ['tar.gz'] }, item('a.tar.gz'))).toBeNull();
  expect(only({ formats: ['gz'] }, item('gz'))).toBe('format');
  expect(only({ minSizeBytes: 100, maxSizeBytes: 100 }, item('a'))).toBeNull();
  expect(only({ minSizeBytes: 101 }, item('a'))).toBe('size');
  expect(only({ maxSizeBytes: 99 }, item('a'))).toBe('size');
  expect(
    only({ modifiedAfter: '2026-04-30T00:00:00Z', modifiedBefore: '2026-05-02T00:00:00Z' }, item('a')),
  ).toBeNull();
  expect(only({ modifiedAfter: '2026-05-01T00:00:00Z' }, item('a'))).toBe('age');
  expect(only({ modifiedBefore: '2026-05-01T00:00:00Z' }, item('a'))).toBe('age');
});

test('what is not known leaves nothing out', () => {
  const rules = [{ ruleId: 'rul_1', pattern: 'unknown.txt' }];
  expect(reason({ rules, only: { folders: ['hr'] } }, item(null))).toBeNull();
  expect(only({ modifiedAfter: '2026-05-02T00:00:00Z' }, item('a', { modifiedAt: null }))).toBeNull();
});

test('a folder that cannot be read is left out by its place alone', () => {
  const folder = item('hr/closed', { kind: 'folder', sizeBytes: 0, modifiedAt: '2020-01-01T00:00:00Z' });
  expect(
    only({ formats: ['pdf'], minSizeBytes: 1, modifiedAfter: '2026-01-01T00:00:00Z' }, folder),
  ).toBeNull();
  expect(only({ folders: ['it'] }, folder)).toBe('folder');
});

test.each([
  [{}],
  [{ folders: [] }],
  [{ folders: ['/'] }],
  [{ formats: ['.pdf'] }],
  [{ minSizeBytes: 2, maxSizeBytes: 1 }],
  [{ modifiedAfter: '2026-05-02T00:00:00Z', modifiedBefore: '2026-05-01T00:00:00Z' }],
  [{ owner: 'me' }],
])('%j narrows to nothing that a scan knows', (body) => {
  expect(OnlySchema.safeParse(body).success).toBe(false);
});

test('a rule has a pattern, and is for a scope or for a family', () => {
  const accepts = (rule: object) => SetRulesSchema.safeParse({ rules: [rule] }).success;
  expect(accepts({ pattern: '*.bak' })).toBe(true);
  expect(accepts({ pattern: '*.bak', family: 'smb' })).toBe(true);
  expect(accepts({ pattern: '*.bak', family: 'smb', scopeId: 'scp_1' })).toBe(false);
  expect(accepts({ pattern: '**' })).toBe(false);
});
