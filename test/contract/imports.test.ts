import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

type Import = { from: string; to: string };

const files = ['core', 'functions', 'infra'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.posix.join(folder, file.replaceAll(path.sep, '/'))),
);

const SPECIFIER = /(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s*'([^']+)'|import\s*\(?\s*'([^']+)'/g;

/** Every import of every file: ours as paths from the root, others by package name. */
const imports: Import[] = files.flatMap((from) =>
  [...readFileSync(path.join(root, from), 'utf8').matchAll(SPECIFIER)].map((match) => {
    const specifier = match[1] ?? match[2] ?? '';
    if (specifier.startsWith('.')) return { from, to: path.posix.join(path.posix.dirname(from), specifier) };
    const [scope = '', name] = specifier.split('/');
    return { from, to: specifier.startsWith('@') ? `${scope}/${name}` : scope };
  }),
);

const under =
  (...folders: string[]) =>
  (file: string) =>
    folders.some((folder) => file.startsWith(folder));
const offences = (from: (file: string) => boolean, to: (file: string) => boolean) =>
  imports.filter((each) => from(each.from) && to(each.to)).map((each) => `${each.from} -> ${each.to}`);

/** Packages and the only places that may import them. */
const GATES: Record<string, (file: string) => boolean> = {
  '@azure/functions': under(
    'core/http/',
    'functions/queues/',
    'functions/timers/',
    'functions/process-lifecycle.ts',
    'infra/local/functions-host',
  ),
  pg: under('core/db/'),
  openai: under('core/ai/'),
  '@azure/storage-queue': under('core/platform/', 'infra/local/functions-host'),
  '@azure/identity': under('core/platform/'),
  pino: under('core/observability/'),
  unpdf: under('core/extractors/'),
  'swagger-ui-dist': under('core/http/', 'functions/http/docs/'),
};

describe('imports go down only', () => {
  test('the walk over the sources sees them', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(imports.length).toBeGreaterThan(300);
  });

  test('the kernel imports nothing of ours but itself', () => {
    expect(
      offences(
        under('core/kernel/'),
        (to) => under('core/', 'functions/', 'infra/')(to) && !under('core/kernel/')(to),
      ),
    ).toEqual([]);
  });

  test('the library imports neither functions nor the local stack', () => {
    expect(offences(under('core/'), under('functions/', 'infra/', 'test/'))).toEqual([]);
  });

  test('functions do not import each other, nor the local stack', () => {
    expect(offences(under('functions/'), under('functions/', 'infra/', 'test/'))).toEqual([]);
  });

  test.each([
    ['core/connectors/', ['core/kernel/', 'core/connectors/']],
    ['core/extractors/', ['core/kernel/', 'core/extractors/']],
    ['core/detectors/', ['core/kernel/', 'core/detectors/']],
    ['core/ai/', ['core/kernel/', 'core/ai/']],
    ['core/db/', ['core/kernel/', 'core/db/', 'core/config.ts']],
    ['core/authz/', ['core/kernel/', 'core/authz/']],
    ['core/audit/', ['core/kernel/', 'core/db/', 'core/audit/']],
  ])('%s imports only what is below it', (folder, allowed) => {
    expect(offences(under(folder), (to) => to.startsWith('core/') && !under(...allowed)(to))).toEqual([]);
  });

  const areas = [
    'governance',
    'review',
    'assets',
    'findings',
    'sources',
    'scan',
    'operations',
    'similarity',
    'models',
    'notifications',
    'landscape',
    'home',
    'actions',
    'exports',
  ].map((area) => `core/${area}/`);
  test('areas do not reach up to the front door', () => {
    expect(offences(under(...areas), under('core/http/', 'core/runtime.ts'))).toEqual([]);
  });

  test.each(Object.entries(GATES))('%s is imported in its place only', (name, allowed) => {
    expect(
      offences(
        (from) => !allowed(from),
        (to) => to === name,
      ),
    ).toEqual([]);
    expect(imports.some((each) => each.to === name)).toBe(true);
  });

  test('only the configuration reads the environment', () => {
    const readers = files.filter(
      (file) =>
        under('core/', 'functions/')(file) &&
        readFileSync(path.join(root, file), 'utf8').includes('process.env'),
    );
    expect(readers).toEqual(['core/config.ts']);
  });
});
