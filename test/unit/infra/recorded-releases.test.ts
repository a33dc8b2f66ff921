import { expect, test } from 'vitest';
import { type RecordedRelease, releaseBefore } from '../../support/release/recorded.ts';

const release = (version: string): RecordedRelease => ({ version, folder: version });
const before = (present: string, ...releases: RecordedRelease[]) => releaseBefore(present, releases).version;

test('an upgrade begins at the newest recorded release before the present one', () => {
  const releases = ['26.9.30.10', '26.11.2.9', '26.11.2.10'].map((version) => release(version));
  expect(before('26.11.2.11', ...releases)).toBe('26.11.2.10');
  expect(before('26.11.2.10', ...releases)).toBe('26.11.2.9');
  expect(before('26.11.2.9', ...releases)).toBe('26.9.30.10');
});

test('the only release is upgraded to itself', () => {
  expect(before('26.11.1.1', release('26.11.1.1'))).toBe('26.11.1.1');
  expect(() => before('26.11.1.1')).toThrow('npm run release:record');
});
