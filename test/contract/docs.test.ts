import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CHECKS } from '../../core/commands/doctor/checks.ts';
import { AdapterSettingsSchema } from '../../core/config/adapter-config.ts';
import { SettingsSchema } from '../../core/config/config.ts';
import { configurationTable } from '../../core/config/config-table.ts';
import { ALLOWED_CALLS } from '../../core/connectors/m365/allowed-calls.ts';
import { GRAPH_CLOUDS } from '../../core/connectors/m365/graph-cloud.ts';
import { DETECTORS } from '../../core/detectors/index.ts';
import { adapterTable } from '../../docs/adapter-table.ts';
import { apiReference } from '../../docs/api-reference.ts';
import { chartSchema } from '../../docs/chart-schema.ts';
import { CHAPTERS } from '../../docs/conformance/chapters.ts';
import { conformancePage } from '../../docs/conformance-page.ts';
import { detectorTable } from '../../docs/detector-table.ts';
import { doctorTable } from '../../docs/doctor-table.ts';
import { functionFiles } from '../../docs/function-files.ts';
import { loadFunctions } from '../../docs/load-functions.ts';
import { permissionTable } from '../../docs/permission-table.ts';
import { roomTable } from '../../docs/room-table.ts';
import { ROOMS } from '../../docs/rooms.ts';
import { schemaPage } from '../../docs/schema-page.ts';
import { withSection } from '../../docs/section.ts';
import { TABLES, TRIGGER_EFFECTS } from '../../docs/tables.ts';

const root = path.resolve(import.meta.dirname, '../..');

test('docs/api.md is what `npm run docs` writes', async () => {
  const { endpoints } = await loadFunctions();
  expect(await readFile(path.join(root, 'docs/api.md'), 'utf8')).toBe(apiReference(endpoints));
});

test('docs/conformance.md is what `npm run docs` writes', async () => {
  expect(await readFile(path.join(root, 'docs/conformance.md'), 'utf8')).toBe(conformancePage(CHAPTERS));
});

test('the settings in the README are what `npm run docs` writes', async () => {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  expect(readme).toBe(withSection(readme, 'settings', configurationTable(SettingsSchema)));
});

test('the schema of the chart is what `npm run docs` writes', async () => {
  const text = await readFile(path.join(root, 'infra/helm/values.schema.json'), 'utf8');
  expect(text).toBe(chartSchema(text));
});

test('the table of detectors is what `npm run docs` writes', async () => {
  const text = await readFile(path.join(root, 'docs/detectors.md'), 'utf8');
  expect(text).toBe(withSection(text, 'detectors', detectorTable(DETECTORS)));
});

test('the calls in docs/permissions.md are what `npm run docs` writes', async () => {
  const text = await readFile(path.join(root, 'docs/permissions.md'), 'utf8');
  expect(text).toBe(withSection(text, 'permissions', permissionTable(ALLOWED_CALLS)));
});

test('docs/permissions.md names every host that calls go to', async () => {
  const text = await readFile(path.join(root, 'docs/permissions.md'), 'utf8');
  for (const [cloud, { graphOrigin, authorityOrigin, contentDomains }] of Object.entries(GRAPH_CLOUDS)) {
    const row = text.split('\n').find((line) => line.startsWith(`| \`${cloud}\``)) ?? '';
    const hosts = [new URL(graphOrigin).host, new URL(authorityOrigin).host];
    expect(row.match(/`[^`]+\.[^`]+`/g)).toEqual(
      [...hosts, ...contentDomains.map((domain) => `*.${domain}`)].map((host) => `\`${host}\``),
    );
  }
});

test('the table of the doctor is what `npm run docs` writes', async () => {
  const text = await readFile(path.join(root, 'docs/operations.md'), 'utf8');
  expect(text).toBe(withSection(text, 'doctor', doctorTable(CHECKS)));
});

test('tools and settings in docs/adapter.md are what `npm run docs` writes', async () => {
  const { endpoints } = await loadFunctions();
  const text = await readFile(path.join(root, 'docs/adapter.md'), 'utf8');
  expect(text).toBe(withSection(text, 'tools', adapterTable(endpoints)));
  expect(text).toBe(withSection(text, 'settings', configurationTable(AdapterSettingsSchema)));
});

test('the table of rooms is what `npm run docs` writes', async () => {
  const text = await readFile(path.join(root, 'docs/architecture.md'), 'utf8');
  expect(text).toBe(withSection(text, 'rooms', roomTable(ROOMS)));
});

test('docs/schema.md is what `npm run docs` writes', async () => {
  const schema = await readFile(path.join(root, 'test/schema.sql'), 'utf8');
  expect(await readFile(path.join(root, 'docs/schema.md'), 'utf8')).toBe(
    `${schemaPage(schema, functionFiles())}\n`,
  );
});

test('docs/tables.ts describes no index and no trigger function that is gone', async () => {
  const schema = await readFile(path.join(root, 'test/schema.sql'), 'utf8');
  const indexes = Object.values(TABLES).flatMap((table) => Object.keys(table.indexes ?? {}));
  for (const index of indexes) expect(schema, index).toContain(` INDEX ${index} ON `);
  for (const fn of Object.keys(TRIGGER_EFFECTS)) {
    expect(schema, fn).toContain(`EXECUTE FUNCTION public.${fn}(`);
  }
});

test('a section goes between its markers, whatever stands there, and nowhere else', () => {
  const text = 'a\n<!-- settings -->\nold $& $1\n<!-- /settings -->\nb';
  const once = withSection(text, 'settings', '| $& |');
  expect(once).toBe('a\n<!-- settings -->\n\n| $& |\n\n<!-- /settings -->\nb');
  expect(withSection(once, 'settings', '| $& |')).toBe(once);
  expect(() => withSection('<!-- /settings --> <!-- settings -->', 'settings', '')).toThrow('settings');
});
