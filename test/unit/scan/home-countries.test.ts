import { expect, test } from 'vitest';
import { homeCountries } from '../../../core/scan/taxonomy-cache.ts';

test('the countries of a profile are those of the identifiers that are known there', () => {
  expect(homeCountries(['Germany', 'the United Kingdom', 'US-CA'])).toEqual(['DE', 'GB', 'US']);
  expect(homeCountries(['baltics'])).toEqual(['EE', 'LT']);
});

test('a profile whose geographies are no countries has none', () => {
  expect(homeCountries(['European Union', 'the moon'])).toEqual([]);
  expect(homeCountries([])).toEqual([]);
});
