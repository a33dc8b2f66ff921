import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { PRODUCT_VERSION } from '../../core/controlplane/product-version.ts';
import { inTrace } from '../../core/observability/traces.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { NIGHTLY } from '../support/property-runs.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { type CollectedSpan, startTraceCollector } from '../support/trace-collector.ts';

const root = path.resolve(import.meta.dirname, '../..');

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let share: string;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10 });
  share = await mkdtemp(path.join(tmpdir(), 'traces-'));
  await writeFile(path.join(share, 'invoice.txt'), 'Invoice of a supplier, with a total.');
  await writeFile(path.join(share, 'broken.docx'), 'PK\x03\x04 and nothing else');
  service = await startService(database, {
    SVC_SMB_ENABLED: 'true',
    SVC_SMB_ROOT: share,
    SVC_SMB_SHARES: '.',
  });
  admin = await service.signInAs(PERSONA.platformAdmin);
  expect((await admin.post('/api/sources/connect', { family: 'smb' })).status).toBe(200);
});
afterAll(async () => {
  await service.close();
  await database.drop();
  await rm(share, { recursive: true, force: true });
});

/** Traces into a collector of its own until the test ends. */
async function tracing(settings: Record<string, string> = {}) {
  const collector = await startTraceCollector();
  onTestFinished(collector.close);
  await service.reconfigure({ SVC_TRACES_ENDPOINT: collector.url, ...settings });
  const { traces, metrics } = service.runtime();
  await traces?.start();
  onTestFinished(async () => traces?.close());
  const sent = async (): Promise<CollectedSpan[]> => {
    await traces?.close();
    return collector.spans();
  };
  return { collector, sent, metrics };
}

const childrenOf = (spans: CollectedSpan[], { spanId, traceId }: CollectedSpan) =>
  spans.filter((each) => each.parentSpanId === spanId && each.traceId === traceId);
const named = (spans: CollectedSpan[], name: string) => spans.filter((each) => each.name === name);

test('a request is a tree: its route, and its transactions below', async () => {
  const { sent, collector } = await tracing();
  expect((await admin.get('/api/scans/cmp_unknown')).status).toBe(404);
  const spans = await sent();
  const [request, ...others] = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  expect(others).toEqual([]);
  expect(request).toMatchObject({
    name: 'GET /api/scans/:id',
    kind: SpanKind.SERVER + 1,
    status: { code: SpanStatusCode.UNSET },
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/api/scans/:id',
      'http.response.status_code': 404,
    },
  });
  if (request === undefined) throw new Error('no request');
  const below = childrenOf(spans, request);
  expect(below.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['transaction lookup', 'transaction read']),
  );
  expect(spans).toHaveLength(1 + below.length);
  for (const { name, attributes, startTimeUnixNano, endTimeUnixNano } of below) {
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
    if (name !== 'transaction read') continue;
    expect(attributes).toEqual({
      'svc.transaction.kind': 'read',
      'svc.transaction.statements': expect.any(Number),
      'svc.transaction.waited_ms': expect.any(Number),
      // It was rolled back.
      'error.type': 'ServiceError',
    });
  }
  expect(collector.resources()[0]).toEqual({
    'service.name': 'data-governance-service',
    'service.version': PRODUCT_VERSION,
  });
});

test('a unit of work is a tree: calls of the source, the analysis, transactions', async () => {
  const { sent } = await tracing();
  const { body } = await admin.get<{ items: { scopeId: string }[] }>('/api/sources');
  const scan = { scopeId: body.items[0]?.scopeId, kind: 'inventory' };
  expect((await admin.post('/api/scans', scan)).status).toBe(200);
  await service.drain();
  const spans = await sent();
  const ids = new Set(spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`));
  const orphans = spans.filter(
    ({ traceId, parentSpanId }) => parentSpanId !== undefined && !ids.has(`${traceId} ${parentSpanId}`),
  );
  expect(orphans).toEqual([]);
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  expect(new Set(roots.map(({ name }) => name))).toEqual(
    new Set(['GET /api/sources', 'POST /api/scans', 'unit inventory_page', 'unit process_asset']),
  );
  const units = named(roots, 'unit process_asset');
  expect(units).toHaveLength(2);
  for (const unit of units) {
    expect(unit.attributes).toEqual({
      'svc.unit.kind': 'process_asset',
      'svc.unit.attempt': 1,
      'svc.unit.outcome': 'completed',
      ...Object.fromEntries(
        ['observe', 'permissions', 'labels', 'content', 'features', 'inference'].map((stage) => [
          `svc.stage.${stage}`,
          'computed',
        ]),
      ),
    });
    const below = childrenOf(spans, unit);
    expect(below.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['transaction read', 'source get_item', 'source read_content', 'analysis']),
    );
    expect(named(below, 'source get_item')[0]?.attributes).toEqual({
      'svc.source.family': 'smb',
      'svc.source.operation': 'get_item',
    });
  }
  const analysed = named(spans, 'analysis').map(({ attributes }) => attributes['svc.content.state']);
  expect(analysed.sort()).toEqual(['available', 'failed']);
});

test('what fails says how, and no more', async () => {
  const { sent } = await tracing();
  await rename(share, `${share}-gone`);
  onTestFinished(() => rename(`${share}-gone`, share));
  const { body } = await admin.get<{ items: { scopeId: string }[] }>('/api/sources');
  await admin.post('/api/scans', { scopeId: body.items[0]?.scopeId, kind: 'inventory' });
  await service.drain();
  const spans = await sent();
  const [unit] = named(spans, 'unit inventory_page');
  expect(unit).toMatchObject({
    status: { code: SpanStatusCode.ERROR },
    attributes: { 'svc.unit.outcome': 'failed', 'svc.retry_class': expect.any(String) },
  });
  const [call] = named(spans, 'source list_items');
  expect(call?.status).toEqual({ code: SpanStatusCode.ERROR });
  expect(call?.attributes).toEqual({
    'svc.source.family': 'smb',
    'svc.source.operation': 'list_items',
    'svc.retry_class': unit?.attributes['svc.retry_class'],
    'error.type': 'ConnectorError',
  });
});

test("a caller's trace is continued, and only a well-formed one", async () => {
  const { sent } = await tracing();
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const get = (traceparent: string) =>
    service.anonymous.get('/api/health', { traceparent, tracestate: 'vendor=secret' });
  await get(`00-${traceId}-${spanId}-01`);
  // The caller does not record this one.
  await get(`00-${traceId}-${spanId}-00`);
  for (const bad of ['x', `00-${'0'.repeat(32)}-${spanId}-01`, `00-${traceId}-${spanId}-01`.repeat(400)]) {
    expect((await get(bad)).status).toBe(200);
  }
  const spans = await sent();
  expect(spans).toHaveLength(4);
  const [continued, ...begun] = spans.sort((a) => (a.traceId === traceId ? -1 : 1));
  expect([continued?.traceId, continued?.parentSpanId]).toEqual([traceId, spanId]);
  for (const each of begun) expect([each.traceId === traceId, each.parentSpanId]).toEqual([false, undefined]);
});

test('what waits for work leaves no trace', async () => {
  const { sent } = await tracing();
  await service.drain();
  await service.runtime().worker.sweep();
  expect(await sent()).toEqual([]);
});

test('a share of the traces is recorded, each of them whole', async () => {
  const { sent } = await tracing({ SVC_TRACES_PERCENT: '50' });
  for (let i = 0; i < 200; i++) await service.anonymous.get('/api/health');
  const { length } = await sent();
  expect(length).toBeGreaterThan(50);
  expect(length).toBeLessThan(150);
});

test.runIf(NIGHTLY).each([
  ['refuses', 500],
  ['does not answer', null],
])('a collector that %s changes no answer, and is told once', async (_, status) => {
  const { collector, metrics } = await tracing();
  collector.answerWith(status);
  const told = () => service.logs.filter((line) => line.includes('traces_not_exported')).length;
  const before = told();
  for (let batch = 0; batch < 2; batch++) {
    expect((await admin.get('/api/scans')).status).toBe(200);
    await expect.poll(() => metrics.snapshot().counters.trace_export_failed ?? 0).toBeGreaterThan(batch);
  }
  expect(told()).toBe(before + 1);
});

test.runIf(NIGHTLY)('spans that nobody takes are dropped beyond a bound', async () => {
  const { collector, sent } = await tracing();
  collector.answerWith(null);
  for (let i = 0; i < 20_000; i++) await inTrace('unit', { 'svc.unit.kind': 'delta_run' }, async () => i);
  collector.answerWith(200);
  // Four batches are under way, and the queue is full.
  expect((await sent()).length).toBeLessThanOrEqual(4_096 + 4 * 512);
});

test.runIf(NIGHTLY)('the SDK is loaded only where a collector is configured', async () => {
  const script = `
    const { compose } = await import('./core/runtime.ts');
    const { loadConfig } = await import('./core/config/config.ts');
    const { createRequire } = await import('node:module');
    const runtime = await compose(loadConfig(), Date.now);
    await runtime.traces?.start();
    const packages = Object.keys(createRequire(import.meta.url).cache).map((file) => /@opentelemetry.([a-z-]+)/.exec(file)?.[1]);
    console.log(JSON.stringify([...new Set(packages.filter(Boolean))]));
    process.exit();`;
  const loaded = async (settings: Record<string, string>) => {
    const env = { ...process.env, SVC_ENV: 'development', SVC_DATABASE_URL: database.url, ...settings };
    const args = ['--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
    return JSON.parse(stdout) as string[];
  };
  expect(await loaded({})).toEqual(['api']);
  expect(await loaded({ SVC_TRACES_ENDPOINT: 'http://127.0.0.1:1/v1/traces' })).toContain('sdk-trace');
});
