import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../core/config/config.ts';
import { GRAPH_CLOUDS } from '../../core/connectors/m365/graph-cloud.ts';
import { sql } from '../../core/db/sql.ts';
import { createGraphAccess } from '../../core/integrations/graph-access.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { classifyFailure } from '../../core/work/failure.ts';
import { authorityAnswer, DIRECTORY } from '../support/authority.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Answer, type Asked, listen } from '../support/graph-server.ts';

/** Planted wherever a tenant or its source puts text. */
const CANARY = 'Xylophonquagga';

let database: TestDatabase;
let server: Awaited<ReturnType<typeof listen>>;
let answer: (asked: Asked) => Answer;
const logged: string[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  server = await listen((asked) => {
    const app = new URLSearchParams(asked.body).get('client_id');
    const body = authorityAnswer(server.origin, asked.url, `${CANARY}.${app}`);
    return body === undefined ? answer(asked) : { body };
  });
});
beforeEach(() => {
  server.asked.length = 0;
  logged.length = 0;
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

const never = new AbortController().signal;
const item = { driveId: `b!${CANARY}`, itemId: CANARY };
const read = { schema: z.object({}), signal: never };
const SETTINGS = {
  SVC_GRAPH_TENANT_ID: DIRECTORY,
  SVC_GRAPH_CLIENT_ID: 'reader',
  SVC_GRAPH_CLIENT_SECRET_REF: 'READER_SECRET',
  READER_SECRET: CANARY,
  SVC_LABEL_WRITE_CLIENT_ID: 'writer',
  SVC_LABEL_WRITE_CLIENT_SECRET_REF: 'WRITER_SECRET',
  WRITER_SECRET: CANARY,
};

function access(settings: Record<string, string> = SETTINGS, db = database.db) {
  const metrics = createMetrics();
  const config = loadConfig({
    SVC_ENV: 'development',
    SVC_AUTH_MODE: 'dev',
    SVC_DATABASE_URL: database.url,
    ...settings,
  });
  const destination = { write: (line: string) => logged.push(line) };
  const log = createLogger({ level: 'debug', clock: Date.now, destination });
  const cloud = { ...GRAPH_CLOUDS.global, graphOrigin: server.origin, authorityOrigin: server.origin };
  return { metrics, graph: createGraphAccess({ config, db, clock: Date.now, metrics, log }, cloud) };
}

test('without credentials there is no client', () => {
  const { graph } = access({});
  expect([graph.reads('background'), graph.writesLabels('background')]).toEqual([null, null]);
});

test('reads and label writes have tokens of their own', async () => {
  answer = ({ method }) => (method === 'GET' ? { body: {} } : { status: 202 });
  const { graph, metrics } = access();
  await graph.reads('interactive')?.call('item', item, read);
  await graph
    .writesLabels('background')
    ?.call('label_assign', item, { schema: z.undefined(), signal: never, body: {} });
  const bearers = server.asked.flatMap(({ headers }) => headers.authorization ?? []);
  expect(bearers).toEqual([`Bearer ${CANARY}.reader`, `Bearer ${CANARY}.writer`]);
  expect(metrics.snapshot().counters).toEqual({
    'graph_calls:item:2xx': 1,
    'graph_calls:label_assign:2xx': 1,
    'graph_calls:token:2xx': 4,
  });
});

test('a throttled call waits in every process, and sets when its unit runs again', async () => {
  answer = () => ({ status: 429, headers: { 'retry-after': '90' }, body: { error: { message: CANARY } } });
  const [mine, theirs] = [access(), access()];
  const failed = await mine.graph.reads('background')?.call('item', item, read).catch(classifyFailure);
  expect(failed).toMatchObject({
    retryClass: 'throttled',
    safeDiagnostic: 'throttled_retries_exhausted',
    retryAfterMs: 90_000,
  });
  expect(mine.metrics.snapshot().counters['graph_throttled:429']).toBe(1);
  const before = server.asked.length;
  await expect
    .poll(async () => {
      const heard = await theirs.graph.reads('background')?.call('item', item, read).catch(classifyFailure);
      return heard !== undefined && 'retryAfterMs' in heard && (heard.retryAfterMs ?? 0) < 90_000;
    })
    .toBe(true);
  // Nothing was asked but a token.
  expect(server.asked.slice(before).filter(({ url }) => url.includes('/v1.0/drives'))).toEqual([]);
  expect(await database.inspect(sql`select budget from call_budgets`)).toEqual([
    { budget: `m365:${DIRECTORY}` },
  ]);
  await database.inspect(sql`delete from call_budgets`);
});

test('nothing of the tenant is told by errors, logs and metrics, whatever goes wrong', async () => {
  const bad: Answer[] = [
    { status: 400, body: { error: { code: CANARY, message: CANARY, innerError: { code: CANARY } } } },
    { status: 401, body: CANARY },
    { status: 403, body: { error: CANARY } },
    { status: 302, headers: { location: `https://${CANARY}.example/${CANARY}` } },
    { status: 200, body: CANARY },
    { status: 200, body: [CANARY] },
    { status: 404, headers: { [CANARY]: CANARY } },
  ];
  const { graph, metrics } = access();
  const client = graph.reads('background');
  const told: unknown[] = [];
  const tell = (error: unknown) => told.push(error, classifyFailure(error), String((error as Error).stack));
  for (const each of bad) {
    answer = () => each;
    await client?.call('item', item, read).then(() => told.push('answered'), tell);
    await client?.download(item, 100, never).then((content) => told.push(content), tell);
    await client?.follow('delta', item, `https://${CANARY}.example/v1.0`, read).catch(tell);
    await client?.monitor(`https://${CANARY}.example/`, read).catch(tell);
  }
  expect(told.length).toBeGreaterThan(bad.length * 9);
  const plain = JSON.stringify(told, (_key, value: unknown) =>
    value instanceof Error
      ? Object.fromEntries(Object.getOwnPropertyNames(value).map((name) => [name, Reflect.get(value, name)]))
      : value,
  );
  for (const text of [plain, JSON.stringify(metrics.snapshot()), logged.join('\n')]) {
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(CANARY.toLowerCase());
  }
});

test('while the database is away calls go on, and it is logged', async () => {
  answer = () => ({ body: {} });
  const away = await createTestDatabase();
  await away.drop();
  const { graph } = access(SETTINGS, away.db);
  expect(await graph.reads('background')?.call('item', item, read)).toMatchObject({ ok: true });
  expect(logged.map((line) => (JSON.parse(line) as { event: string }).event)).toContain('call_pause_failed');
});
