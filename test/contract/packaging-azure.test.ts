import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { DOORBELL_QUEUE } from '../../core/work/doorbell.ts';
import { type BicepFile, bicepFilesIn } from '../support/bicep.ts';
import { isSetting } from '../support/packaged-settings.ts';

const folder = path.resolve(import.meta.dirname, '../../infra/azure');
const files = await bicepFilesIn(folder);
const at = (file: string): BicepFile => {
  const found = files.find((each) => each.file === file);
  if (found === undefined) throw new Error(`There is no ${file}.`);
  return found;
};
const ENTRIES = ['container-apps.bicep', 'functions-plan.bicep'];

/** Functions and decorators of the language that the files use. */
const BUILT_IN = new Set(
  'allowed concat description empty guid items json loadTextContent map maxLength minLength minValue replace resourceGroup secure string subscriptionResourceId tenant toLower toObject union uniqueString uriComponent'.split(
    ' ',
  ),
);

test('the two entries and their modules are all that there is', () => {
  const reached = (file: string): string[] => [
    file,
    ...at(file).modules.flatMap((module) => reached(path.posix.join(path.posix.dirname(file), module.path))),
  ];
  expect(new Set(ENTRIES.flatMap(reached))).toEqual(new Set(files.map(({ file }) => file)));
});

describe.each(files)('$file', ({ file, errors, used, declared, resources, modules, params, text }) => {
  test('follows the grammar, and every name in it is declared', () => {
    expect(errors).toEqual([]);
    expect([...used].filter((name) => !declared.has(name) && !BUILT_IN.has(name))).toEqual([]);
  });

  test('names every resource with the version of its interface', () => {
    for (const type of resources) expect(type).toMatch(/^Microsoft\.[\w./]+@\d{4}-\d\d-\d\d(-preview)?$/);
  });

  test('gives each module the parameters that it declares', () => {
    for (const module of modules) {
      const target = at(path.posix.join(path.posix.dirname(file), module.path));
      const known = target.params.map(({ name }) => name);
      const required = target.params.filter(({ hasDefault }) => !hasDefault).map(({ name }) => name);
      expect(
        module.params.filter((name) => !known.includes(name)),
        module.path,
      ).toEqual([]);
      expect(
        required.filter((name) => !module.params.includes(name)),
        module.path,
      ).toEqual([]);
    }
  });

  test('uses outputs that its modules have', () => {
    for (const [, name, output = ''] of text.matchAll(/\b(\w+)\.outputs\.(\w+)/g)) {
      const module = modules.find((each) => each.name === name);
      const target = at(path.posix.join(path.posix.dirname(file), module?.path ?? ''));
      expect(target.outputs, `${name}.outputs.${output}`).toContain(output);
    }
  });

  test('marks parameters that hold secrets', () => {
    const secret = params
      .filter(({ name }) => /(password|secret|key|secretSettings)$/i.test(name))
      .map(({ name }) => name);
    for (const name of secret)
      expect(text).toMatch(new RegExp(`@secure\\(\\)\\n(@[^\\n]+\\n)*param ${name} `));
  });
});

test('settings are those that the service or its platform knows', () => {
  const named = ENTRIES.flatMap((file) =>
    [...at(file).text.matchAll(/^\s+'?((?:SVC_|AzureWebJobs|FUNCTIONS_|languageWorkers)\w+)'?:/gm)].map(
      ([, name]) => name ?? '',
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !isSetting(name))).toEqual([]);
});

test('secrets of settings are secrets that the vault is given', () => {
  const { text } = at('modules/foundation.bicep');
  const kept = [...text.matchAll(/^ +'([a-z-]+)':/gm)].map(([, name]) => name);
  const wanted = ENTRIES.flatMap((file) =>
    [...at(file).text.matchAll(/^ {2}[A-Z_]+: '([a-z-]+)'$/gm)].map(([, name]) => name),
  );
  expect(wanted.length).toBeGreaterThan(8);
  expect(wanted.filter((name) => !kept.includes(name))).toEqual([]);
});

test('names of the whole world are those of one deployment', () => {
  const unique = /'\$\{name\}-\$\{uniqueString\(resourceGroup\(\)\.id, name\)\}'/;
  for (const file of ENTRIES)
    expect(at(file).text).toMatch(new RegExp(`param postgresName string = ${unique.source}`));
  expect(at('functions-plan.bicep').text).toMatch(new RegExp(`name: ${unique.source}`));
});

test('a plan over three zones has an instance for each', () => {
  expect(at('functions-plan.bicep').text).toMatch(/@minValue\(3\)\n(@[^\n]+\n)*param minInstances int = 3/);
  expect(at('functions-plan.bicep').text).toMatch(/capacity: minInstances\n[\s\S]*zoneRedundant: true/);
});

test('Postgres allows the extensions that the migrations make', async () => {
  const folder = path.resolve(import.meta.dirname, '../../migrations');
  const made = new Set<string>();
  for (const file of (await readdir(folder)).filter((each) => each.endsWith('.sql')))
    for (const [, name = ''] of (await readFile(path.join(folder, file), 'utf8')).matchAll(
      /create extension (?:if not exists )?(\w+)/gi,
    ))
      made.add(name.toUpperCase());
  const allowed = /name: 'azure\.extensions'\s+properties: \{\s+value: '([^']+)'/.exec(
    at('modules/postgres.bicep').text,
  );
  expect(new Set(allowed?.[1]?.split(','))).toEqual(made);
});

test('the Functions host keeps its keys in files on every platform', () => {
  for (const file of ENTRIES) {
    const { text } = at(file);
    expect(text).toMatch(/AzureWebJobsSecretStorageType(: |'\s+value: )'files'/);
  }
});

test('apps and jobs take their image apart: migrations run before the apps change', () => {
  const { text } = at('container-apps.bicep');
  expect([...text.matchAll(/^ +image: (\w+)$/gm)].map(([, image]) => image)).toEqual([
    'hostImage',
    'workerImage',
    'postgresImage',
    'jobImage',
    'jobImage',
  ]);
});

test('the scaler of the workers looks at the queue of doorbells', () => {
  expect(at('modules/storage.bicep').text).toContain(`name: '${DOORBELL_QUEUE}'`);
  expect(at('container-apps.bicep').text).toContain('queueName: foundation.outputs.queueName');
});

test('neither database nor storage nor vault is open to the internet', () => {
  expect(at('modules/postgres.bicep').text).toContain("publicNetworkAccess: 'Disabled'");
  for (const file of ['modules/storage.bicep', 'modules/vault.bicep'])
    expect(at(file).text).toContain("defaultAction: 'Deny'");
  expect(at('modules/storage.bicep').text).toContain('allowSharedKeyAccess: false');
});

/** What Kubernetes, on which Container Apps runs, makes of a `command`: the names are those of its environment. */
const expanded = (command: string, environment: Readonly<Record<string, string>>): string =>
  command.replace(/\$(?:\$|\(([A-Za-z_.-][\w.-]*)\))/g, (reference, name: string | undefined) =>
    name === undefined ? '$' : (environment[name] ?? reference),
  );

test('the platform runs the script of the logins as it is written', async () => {
  const script = await readFile(path.resolve(folder, '../container/create-logins.sh'), 'utf8');
  expect(expanded('a $$1 $(PGHOST) $(cat x)', { PGHOST: 'server' })).toBe('a $1 server $(cat x)');
  expect(expanded(script, {})).toBe(script);
});
