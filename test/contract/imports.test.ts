import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOMS } from '../../docs/rooms.ts';

const root = path.resolve(import.meta.dirname, '../..');

type Import = { from: string; to: string };

const files = ['client', 'core', 'functions', 'infra'].flatMap((folder) =>
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

const roomOf = (file: string): string => file.split('/')[1] ?? '';
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
  pg: under('core/db/', 'core/connectors/sql/postgres/'),
  mysql2: under('core/connectors/sql/mysql/'),
  tedious: under('core/connectors/sql/sqlserver/'),
  openai: under('core/ai/'),
  '@azure/storage-queue': under('core/platform/', 'infra/local/functions-host'),
  '@azure/identity': under('core/platform/', 'core/connectors/entra-tokens.ts', 'core/ai/azure-token.ts'),
  pino: under('core/observability/'),
  '@opentelemetry/api': under('core/observability/'),
  '@opentelemetry/sdk-trace': under('core/observability/trace-sdk.ts'),
  unpdf: under('core/extractors/'),
  '@modelcontextprotocol/server': under('core/adapter/', 'core/commands/mcp.ts'),
  '@scalar/fastify-api-reference': under('core/http/scalar-program.ts'),
};

describe('imports go down only', () => {
  test('the walk over the sources sees them', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(imports.length).toBeGreaterThan(300);
  });

  test('the library imports no functions, and of the local stack the fixture company', () => {
    expect(offences(under('core/'), under('functions/', 'infra/', 'test/'))).toEqual([
      'core/integrations/fixture-company.ts -> infra/local/fixture/fixture-company.ts',
    ]);
  });

  test('functions do not import each other, nor the local stack', () => {
    expect(offences(under('functions/'), under('functions/', 'infra/', 'test/'))).toEqual([]);
  });

  test('the client imports nothing of the service, save to be generated', () => {
    const byHand = (file: string) =>
      under('client/')(file) && !under('client/generated/', 'client/generate.ts')(file);
    expect(imports.filter(({ from, to }) => byHand(from) && !under('client/')(to))).toEqual([]);
    expect(offences(under('core/', 'functions/', 'infra/'), under('client/'))).toEqual([
      'infra/console/build-console.ts -> client/generate.ts',
    ]);
  });

  test('every room of core is declared once', () => {
    const found = new Set(files.filter(under('core/')).map(roomOf));
    expect(ROOMS.map(({ name }) => name).sort()).toEqual([...found].sort());
  });

  test('no file of the library imports itself through others', () => {
    const importsOf = Map.groupBy(
      imports.filter(({ to }) => under('core/')(to)),
      ({ from }) => from,
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const walk = (file: string, way: readonly string[]): void => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' -> '));
      if (done.has(file) || way.includes(file)) return;
      for (const { to } of importsOf.get(file) ?? []) walk(to, [...way, file]);
      done.add(file);
    };
    for (const file of files.filter(under('core/'))) walk(file, []);
    expect(circles).toEqual([]);
  });

  test('a room imports what stands below it in docs/rooms.ts', () => {
    const place = new Map(ROOMS.map(({ name }, at) => [name, at]));
    const up = imports.filter(({ from, to }) => {
      if (!(under('core/')(from) && under('core/')(to)) || roomOf(from) === roomOf(to)) return false;
      return (place.get(roomOf(to)) ?? -1) < (place.get(roomOf(from)) ?? -1);
    });
    expect(up.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test.each(ROOMS.flatMap(({ name, face }) => (face === undefined ? [] : [{ name, face }])))(
    'other rooms import of $name what docs/rooms.ts states',
    ({ name, face }) => {
      const imported = imports
        .filter(({ from, to }) => under('core/')(from) && roomOf(from) !== name && under(`core/${name}/`)(to))
        .map(({ to }) => to.slice(`core/${name}/`.length));
      expect([...new Set(imported)].sort()).toEqual([...face].sort());
    },
  );

  // Rules of who may do what are plain. Which rows somebody may see is SQL.
  test.each(['connectors', 'extractors', 'detectors', 'ai', 'authz'])(
    '%s imports the kernel alone, but for its SQL',
    (room) => {
      expect(
        offences(
          (from) => under(`core/${room}/`)(from) && !from.endsWith('.sql.ts'),
          (to) => under('core/')(to) && !under('core/kernel/', `core/${room}/`)(to),
        ),
      ).toEqual([]);
    },
  );

  test.each(Object.entries(GATES))('%s is imported in its place only', (name, allowed) => {
    expect(
      offences(
        (from) => !allowed(from),
        (to) => to === name,
      ),
    ).toEqual([]);
    expect(imports.some((each) => each.to === name)).toBe(true);
  });

  test('`fetch` calls the clouds and who issues tokens from files that check where', () => {
    const callers = files.filter(
      (file) =>
        under(
          'core/connectors/cloud-drive/',
          'core/connectors/cloud-http/',
          'core/connectors/file-box/',
          'core/connectors/m365/',
          'core/connectors/entra-tokens.ts',
        )(file) && /\bfetch\(/.test(readFileSync(path.join(root, file), 'utf8')),
    );
    expect(callers.sort()).toEqual([
      'core/connectors/cloud-http/exchange.ts',
      'core/connectors/cloud-http/request-token.ts',
      'core/connectors/entra-tokens.ts',
    ]);
  });

  test('SQL stands in *.sql.ts, and in core/db', () => {
    const others = files.filter(
      (file) =>
        under('core/', 'functions/')(file) &&
        !file.endsWith('.sql.ts') &&
        !file.startsWith('core/db/') &&
        readFileSync(path.join(root, file), 'utf8').includes('sql`'),
    );
    expect(others).toEqual([]);
  });

  test('only the configuration reads the environment', () => {
    const readers = files.filter(
      (file) =>
        under('core/', 'functions/')(file) &&
        readFileSync(path.join(root, file), 'utf8').includes('process.env'),
    );
    expect(readers).toEqual([
      'core/config/adapter-config.ts',
      'core/config/config.ts',
      'core/config/database-config.ts',
    ]);
  });
});
