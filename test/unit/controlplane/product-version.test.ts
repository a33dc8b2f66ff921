import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PRODUCT_VERSION } from '../../../core/controlplane/product-version.ts';

test('VERSION and the product-version constant are one release version', () => {
  const file = readFileSync(new URL('../../../VERSION', import.meta.url), 'utf8').trim();
  expect(file).toBe(PRODUCT_VERSION);
  const [year, month, day, release] = file.split('.').map(Number);
  expect(file).toBe([year, month, day, release].join('.'));
  expect(file).toMatch(/^\d{2}\.\d{1,2}\.\d{1,2}\.\d+$/);
  expect(new Date(Date.UTC(2000 + Number(year), Number(month) - 1, Number(day))).getUTCDate()).toBe(day);
});

test('the version of the package is internal, and is no release', () => {
  const file = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  expect((JSON.parse(file) as { version: string }).version).toBe('0.0.0');
});
