import { expect, test } from 'vitest';
import { homeCountries } from '../../../core/scan/taxonomy-cache.ts';

test('the countries of a profile are those of the identifiers that are known there', async () => {
  expect(await homeCountries(['Germany', 'the United Kingdom', 'US-CA'])).toEqual(['DE', 'GB', 'US']);
  expect(await homeCountries(['baltics'])).toEqual(['EE', 'LT']);
});

test('a profile whose geographies are no countries has none', async () => {
  expect(await homeCountries(['European Union', 'the moon'])).toEqual([]);
  expect(await homeCountries([])).toEqual([]);
});
