import { hostname, networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../core/config/config.ts';
import { PRODUCT_VERSION } from '../../core/controlplane/product-version.ts';
import { withEngineTx } from '../../core/db/tx.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { compose, type Runtime } from '../../core/runtime.ts';
import { leaseUnits } from '../../core/work/lease.sql.ts';
import { freePort } from '../../infra/local/free-port.ts';
import { makeCampaign, makeTenant } from '../support/campaign.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Exposition, parseOpenMetrics } from '../support/openmetrics.ts';

const now = Date.UTC(2026, 0, 1);
const TENANTS = ['canary-one', 'canary-two'] as TenantId[];
/** Another address of this machine: another interface, or another name of the loopback on Linux. */
const ELSEWHERE =
  Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.2';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ max: 4 });
  for (const tenantId of TENANTS) {
    const scopeId = await makeTenant(database, tenantId, now);
    await makeCampaign(database.db, tenantId, scopeId, 5, now);
  }
  await withEngineTx(database.db, (tx) => leaseUnits(tx, 'other:boot', { units: 3, orphans: 0 }, now));
});
afterAll(() => database.drop());

async function member(settings: Record<string, string>, at = now): Promise<Runtime> {
  const config = loadConfig({
    SVC_ENV: 'development',
    SVC_AUTH_MODE: 'dev',
    SVC_DATABASE_URL: database.url,
    SVC_SCANNER_ID: 'canary-scanner',
    ...settings,
  });
  const runtime = await compose(config, () => at, { write: () => undefined });
  onTestFinished(() => runtime.close());
  return runtime;
}
const anyPort = async () => ({ SVC_METRICS_PORT: String(await freePort(0)) });

const scrape = async (port: number | null | undefined, host = '127.0.0.1') => {
  const response = await fetch(`http://${host}:${port}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  ]);
  return response.text();
};
const sampleOf = ({ samples }: Exposition, name: string, label?: string) =>
  samples.find(
    (each) => each.name === name && (label === undefined || Object.values(each.labels).includes(label)),
  )?.value;

test('a process exposes its counters and the gauges of all tenants', async () => {
  const runtime = await member(await anyPort(), now + 90_000);
  await runtime.fleet.join();
  runtime.metrics.count('work_completed:process_asset');
  runtime.metrics.observe('stage_latency_ms:content', 250);
  const text = await scrape(await runtime.metricsServer?.start());
  const read = parseOpenMetrics(text);
  expect(sampleOf(read, 'svc_service_info', PRODUCT_VERSION)).toBe(1);
  expect(sampleOf(read, 'svc_process_start_time_seconds')).toBe((now + 90_000) / 1000);
  expect(sampleOf(read, 'svc_database_up')).toBe(1);
  expect(sampleOf(read, 'svc_queue_units', 'pending')).toBe(7);
  expect(sampleOf(read, 'svc_queue_units', 'leased')).toBe(3);
  expect(sampleOf(read, 'svc_queue_units', 'dead')).toBe(0);
  expect(sampleOf(read, 'svc_oldest_pending_age_seconds')).toBe(90);
  expect(sampleOf(read, 'svc_oldest_delta_cursor_age_seconds')).toBeUndefined();
  expect(sampleOf(read, 'svc_assets', 'available')).toBe(0);
  expect(sampleOf(read, 'svc_scanners', 'active')).toBe(1);
  expect(sampleOf(read, 'svc_work_completed_total', 'process_asset')).toBe(1);
  expect(sampleOf(read, 'svc_stage_latency_seconds', '0.5')).toBe(0.25);
  expect(text).not.toMatch(/canary/i);
  expect(text).not.toContain(hostname());
});

test('without a database the counters are still told, and that it is down', async () => {
  const runtime = await member({
    ...(await anyPort()),
    SVC_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  });
  runtime.metrics.count('work_failed:transient');
  const read = parseOpenMetrics(await scrape(await runtime.metricsServer?.start()));
  const told = read.samples.filter(({ name, value }) => value > 0 || !name.endsWith('_total'));
  expect(told.map(({ name, value }) => [name, value])).toEqual([
    ['svc_service_info', 1],
    ['svc_process_start_time_seconds', now / 1000],
    ['svc_database_up', 0],
    ['svc_work_failed_total', 1],
  ]);
});

test('nothing else is served there', async () => {
  const port = await (await member(await anyPort())).metricsServer?.start();
  const status = async (path: string, method = 'GET') =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method })).status;
  expect(await status('/')).toBe(404);
  expect(await status('/api/health')).toBe(404);
  expect(await status('/metrics/')).toBe(404);
  expect(await status('/metrics', 'POST')).toBe(405);
  expect(await status('/metrics?x=1', 'HEAD')).toBe(200);
});

test('it is off unless a port is set', async () => {
  expect((await member({})).metricsServer).toBeNull();
});

test('it listens on loopback, unless all interfaces are asked for', async () => {
  const loopback = await (await member(await anyPort())).metricsServer?.start();
  await expect(scrape(loopback, ELSEWHERE)).rejects.toThrow('fetch failed');
  const all = { ...(await anyPort()), SVC_METRICS_INTERFACES: 'all' };
  const open = await (await member(all)).metricsServer?.start();
  expect(await scrape(open, ELSEWHERE)).toContain('# EOF');
});

test('further processes of a container take the next ports, and give them back', async () => {
  const settings = await anyPort();
  const [one, two] = [await member(settings), await member(settings)];
  const first = await one.metricsServer?.start();
  expect(String(first)).toBe(settings.SVC_METRICS_PORT);
  const second = await two.metricsServer?.start();
  expect(second).toBeGreaterThan(first ?? 0);
  expect(await scrape(second)).toContain('# EOF');
  await one.metricsServer?.close();
  await expect(scrape(first)).rejects.toThrow('fetch failed');
});
