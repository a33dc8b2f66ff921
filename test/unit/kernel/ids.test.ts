import { describe, expect, test } from 'vitest';
import { newId } from '../../../core/kernel/ids.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const timeOf = (id: string) =>
  [...id.slice('asset_'.length, -16)].reduce((time, character) => time * 32 + ALPHABET.indexOf(character), 0);

describe('new ids', () => {
  test('have their prefix and 26 base-32 characters', () => {
    expect(newId('asset')).toMatch(/^asset_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  test.each([0, 31, 32, 1_760_000_000_123, 2 ** 48 - 1])('begin with their time: %d', (now) => {
    expect(timeOf(newId('asset', now))).toBe(now);
  });

  test('sort by age', () => {
    const ids = Array.from({ length: 200 }, (_, step) => newId('asset', 1_760_000_000_000 + step * 17));
    expect(ids.toSorted()).toEqual(ids);
  });

  test('of one millisecond differ, and use every character of the alphabet', () => {
    const ids = Array.from({ length: 5_000 }, () => newId('asset', 0));
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(ids.flatMap((id) => [...id.slice(-16)])).size).toBe(ALPHABET.length);
  });
});
