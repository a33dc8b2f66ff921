import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { PRODUCT_VERSION } from '../../core/controlplane/product-version.ts';
import { sql } from '../../core/db/sql.ts';
import type { DiagnosticsSchema } from '../../core/support/diagnostics.ts';
import { startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const PREVIEW = '/api/support/diagnostics/preview';
const SECRETS = {
  SVC_SESSION_SECRET: 'CanaryOfTheSessionSecret',
  SVC_AI_ENDPOINT: 'https://canary-of-the-endpoint.example.com',
  SVC_AI_DEPLOYMENT: 'canary-of-the-deployment',
  SVC_AI_KEY_REF: 'CANARY_OF_THE_VARIABLE',
  CANARY_OF_THE_VARIABLE: 'CanaryOfTheKey',
  SVC_SCANNER_ID: 'canary-of-the-scanner',
  SVC_SCANNER_NAME: 'Canary of the scanner name',
};

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 4 });
  service = await startService(database, { ...SECRETS, SVC_WORKER_CONCURRENCY: '2' });
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const preview = async () => {
  const admin = await service.signInAs(PERSONA.platformAdmin);
  return admin.get<z.output<typeof DiagnosticsSchema>>(PREVIEW);
};

test('the bundle has versions, readiness, counters, log lines and slowest statements', async () => {
  await (await service.signInAs(PERSONA.auditor)).get('/api/audit');
  const { status, body } = await preview();
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ...{ bundleVersion: 1, productVersion: PRODUCT_VERSION, process: { node: process.version } },
    database: { missingMigrations: 0, unknownMigrations: 0 },
    readiness: { status: 'ok', integrations: { aiProvider: 'live', connector: 'mock' } },
    license: { state: 'none', reason: null, clock: 'steady' },
  });
  expect(body.database.version).toMatch(/^\d+\.\d+/);
  expect(body.database.newestMigration).toMatch(/^\d{4}_\w+\.sql$/);
  expect(
    body.metrics.counters['http_answer:200'] ?? body.metrics.counters['http_answer:2xx'],
  ).toBeGreaterThan(0);
  expect(body.logs).toContainEqual(expect.objectContaining({ event: 'http_request', route: '/api/audit' }));
  const totals = body.slowestStatements.map(({ totalMs }) => totalMs);
  expect(totals.length).toBeGreaterThan(5);
  expect(totals).toEqual(totals.toSorted((a, b) => b - a));
});

test('settings are listed by name, with values of flags and numbers alone', async () => {
  const { settings } = (await preview()).body;
  expect(settings).toMatchObject({
    ...{ SVC_SESSION_SECRET: 'set', SVC_DATABASE_URL: 'set', SVC_AI_ENDPOINT: 'set', SVC_AI_KEY_REF: 'set' },
    SVC_WORKER_CONCURRENCY: 2,
  });
  expect(Object.keys(settings)).not.toContain('SVC_OCR');
});

test('no value of a setting, a statement or a request is in it, and no name', async () => {
  const owner = await service.signInAs(PERSONA.financeOwner);
  await owner.get('/api/assets?q=CanaryOfTheSearch');
  await owner.get('/api/assets/CanaryOfTheAsset');
  await owner.request('GET', '/api/auth/me', { headers: { 'x-svc-correlation': 'CanaryOfTheRequest' } });
  const { text, body } = await preview();
  expect(text).not.toMatch(/canary/i);
  // Ids that the service makes mean nothing elsewhere, and help to find a request here.
  expect(body.logs.filter(({ correlationId }) => correlationId !== undefined).length).toBeGreaterThan(1);
  expect(body.logs.filter(({ tenantId }) => tenantId !== undefined)).toEqual([]);
  const names = await database.inspect<{ name: string }>(sql`
    select display_name as name from principals union all select name from scopes union all select name from assets
    union all select name from tenants union all select host from scanners union all select scanner_id from scanners`);
  for (const { name } of names) expect(text).not.toContain(name);
  for (const { fingerprint, statement } of body.slowestStatements) {
    expect(fingerprint).toMatch(/^s_[\w-]{27}$/);
    expect(statement ?? '').not.toContain(DEV);
  }
});

test('platform administrators and auditors read it, and each reading is audited', async () => {
  const statuses = async (persona: string) => (await (await service.signInAs(persona)).get(PREVIEW)).status;
  expect(await statuses(PERSONA.auditor)).toBe(200);
  expect(await statuses(PERSONA.governanceAdmin)).toBe(403);
  expect(await statuses(PERSONA.financeOwner)).toBe(403);
  const events = await database.inspect<{ principal: string }>(sql`
    select record::jsonb #>> '{event,principalId}' as principal from audit_events
     where record::jsonb #>> '{event,type}' = 'diagnostics_previewed'`);
  expect(events.map(({ principal }) => principal)).toContain(PERSONA.auditor);
});
