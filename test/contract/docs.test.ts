import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { configurationTable } from '../../core/config-table.ts';
import { apiReference } from '../../docs/api-reference.ts';
import { loadFunctions } from '../../docs/load-functions.ts';
import { withSettingsTable } from '../../docs/settings-section.ts';

const root = path.resolve(import.meta.dirname, '../..');

test('docs/api.md is what `npm run docs` writes', async () => {
  const { endpoints } = await loadFunctions();
  expect(await readFile(path.join(root, 'docs/api.md'), 'utf8')).toBe(apiReference(endpoints));
});

test('the settings in the README are what `npm run docs` writes', async () => {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  expect(readme).toBe(withSettingsTable(readme, configurationTable()));
});

test('the settings go between their markers, whatever stands there, and nowhere else', () => {
  const text = 'a\n<!-- settings -->\nold $& $1\n<!-- /settings -->\nb';
  const once = withSettingsTable(text, '| $& |');
  expect(once).toBe('a\n<!-- settings -->\n\n| $& |\n\n<!-- /settings -->\nb');
  expect(withSettingsTable(once, '| $& |')).toBe(once);
  expect(() => withSettingsTable('<!-- /settings --> <!-- settings -->', '')).toThrow('settings');
});
