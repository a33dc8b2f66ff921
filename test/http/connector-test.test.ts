import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../core/config/config.ts';
import { sql } from '../../core/db/sql.ts';
import { compose } from '../../core/runtime.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { cloudOf } from '../support/graph/connect.ts';
import { type GraphFake, startGraphFake } from '../support/graph/graph-fake.ts';
import { guidOf } from '../support/graph/ids.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Capability = {
  capability: string;
  state: string;
  reason: string | null;
  missing: string[];
  position: number | null;
};
type Tested = { ok: boolean; family: string; mode: string | null; capabilities: Capability[] };

const TEST = '/api/admin/connector/test';
const READER = guidOf('application/reader');
const CANARY = 'xylophonquagga';
const ADA = `ada@${CANARY}.example`;
const EVE = `eve@${CANARY}.example`;
const READS = [
  ...['Sites.Read.All', 'Files.Read.All', 'User.Read.All', 'GroupMember.Read.All'],
  'Organization.Read.All',
];

let database: TestDatabase;
let service: TestService;
let fake: GraphFake;
let admin: SignedIn;
let graph: Record<string, string>;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  fake = await startGraphFake({
    tenants: [
      {
        name: CANARY,
        apps: [{ clientId: READER, secret: CANARY, permissions: READS, mailboxes: [ADA] }],
        mailboxes: [ADA, EVE],
        sites: [{ name: CANARY, libraries: ['Documents'] }],
      },
    ],
  });
  setDefaultCACertificates([...getCACertificates('default'), fake.ca]);
  graph = {
    SVC_CONNECTOR_MODE: 'graph',
    SVC_GRAPH_TENANT_ID: fake.tenant().id,
    SVC_GRAPH_CLIENT_ID: READER,
    SVC_GRAPH_CLIENT_SECRET_REF: 'READER_SECRET',
    READER_SECRET: CANARY,
    SVC_GRAPH_SITES: 'all',
    SVC_LABEL_READ_ENABLED: 'true',
  };
});
afterAll(async () => {
  expect(fake.violations).toEqual([]);
  await service.close();
  await fake.close();
  await database.drop();
});

const tested = async (family?: string) => {
  const { status, body } = await admin.post<Tested>(TEST, family === undefined ? {} : { family });
  expect(status).toBe(200);
  return body;
};
const reasonsOf = ({ capabilities }: Tested) =>
  Object.fromEntries(capabilities.map(({ capability, state, reason }) => [capability, reason ?? state]));
const lastAudited = async () => {
  const [row] = await database.inspect<{ record: string }>(
    sql`select record from audit_events where tenant_id = ${DEV} order by seq desc limit 1`,
  );
  return JSON.parse(row?.record ?? '{}').event;
};

test('the fixture answers for all but a token, which it has none of', async () => {
  const body = await tested();
  expect(body).toMatchObject({ ok: true, family: 'm365', mode: 'mock' });
  expect(reasonsOf(body)).toEqual({
    ...{ token: 'not_part_of_source', sites: 'ok', drive: 'ok', sharing: 'not_part_of_source' },
    ...{ labels: 'ok', directory: 'ok', notifications: 'ok' },
    ...{ reach: 'not_part_of_source', files: 'not_part_of_source' },
  });
  expect(await lastAudited()).toMatchObject({
    category: 'config',
    type: 'connector_probe',
    target: { kind: 'source_family', id: 'm365' },
    details: { ok: true, mode: 'mock', token: 'not_part_of_source', drive: 'ok' },
  });
});

test('a share is read; what a share cannot have is not missing', async () => {
  const shares = { SVC_SMB_ENABLED: 'true', SVC_SMB_SHARES: 'test/http' };
  await service.reconfigure({ ...shares, SVC_SMB_ROOT: process.cwd() });
  const body = await tested('smb');
  expect([body.ok, body.mode]).toEqual([true, 'live']);
  expect(reasonsOf(body)).toMatchObject({ sites: 'ok', drive: 'ok', directory: 'not_part_of_source' });
  await service.reconfigure({ ...shares, SVC_SMB_ROOT: '/nowhere/at/all' });
  const absent = await tested('smb');
  expect(absent.ok).toBe(false);
  expect(JSON.stringify(absent)).not.toContain('nowhere');
});

test('a source without settings names them', async () => {
  await service.reconfigure({ SVC_CONNECTOR_MODE: 'graph' });
  const body = await tested();
  expect([body.ok, body.mode]).toEqual([false, null]);
  expect(body.capabilities[0]).toMatchObject({
    state: 'not_configured',
    reason: 'setting_missing',
    missing: ['SVC_GRAPH_TENANT_ID', 'SVC_GRAPH_CLIENT_ID', 'SVC_GRAPH_CLIENT_SECRET_REF'],
  });
  const half = { SVC_FILE_BOX_ENABLED: 'true', SVC_FILE_BOX_CLIENT_ID: 'a' };
  await service.reconfigure(half);
  expect((await tested('file_box')).capabilities[1]).toMatchObject({
    missing: ['SVC_FILE_BOX_CLIENT_SECRET_REF', 'SVC_FILE_BOX_ENTERPRISE_ID', 'SVC_FILE_BOX_FOLDERS'],
  });
});

test('Microsoft 365 is tested with a token of its own, and names what is missing', async () => {
  await service.reconfigure(graph, { graph: cloudOf(fake) });
  const body = await tested();
  expect(body).toMatchObject({ ok: true, mode: 'live' });
  expect(reasonsOf(body)).toEqual({
    ...{ token: 'ok', sites: 'ok', drive: 'ok', sharing: 'optional_permission', directory: 'ok' },
    ...{ labels: 'missing_permission', notifications: 'switched_off' },
    ...{ reach: 'not_part_of_source', files: 'not_part_of_source' },
  });
  expect(body.capabilities.find(({ capability }) => capability === 'labels')).toMatchObject({
    state: 'blocked',
    missing: ['SensitivityLabels.Read.All'],
  });
  // A permission that was granted meanwhile counts at once.
  fake.app(READER).permissions = [...READS, 'SensitivityLabels.Read.All'];
  expect(reasonsOf(await tested())).toMatchObject({ labels: 'ok' });
  expect(fake.callsOf('token').length).toBeGreaterThan(1);
});

test('a refused secret is no 500, and nothing says who or where', async () => {
  await service.reconfigure({ ...graph, READER_SECRET: 'an old secret' }, { graph: cloudOf(fake) });
  const answer = await admin.post<Tested>(TEST, {});
  expect(answer.status).toBe(200);
  expect(reasonsOf(answer.body)).toMatchObject({
    token: 'credentials_refused',
    drive: 'credentials_refused',
  });
  expect(answer.body.ok).toBe(false);
  const event = await lastAudited();
  expect(event).toMatchObject({
    type: 'connector_probe',
    details: { ok: false, token: 'credentials_refused' },
  });
  const said = answer.text + JSON.stringify(event) + service.logs.join('');
  for (const secret of [CANARY, READER, fake.tenant().id, 'an old secret', '127.0.0.1', 'AADSTS'])
    expect(said.toLowerCase()).not.toContain(secret.toLowerCase());
});

test('without selected sites the source is not connected, and the setting is named', async () => {
  await service.reconfigure({ ...graph, SVC_GRAPH_SITES: '' }, { graph: cloudOf(fake) });
  expect(reasonsOf(await tested())).toMatchObject({ token: 'ok', sites: 'setting_missing', directory: 'ok' });
  const { status, body } = await admin.post<{ error: string; message: string }>('/api/sources/connect', {});
  expect([status, body.error]).toEqual([422, 'blocked_capability']);
  expect(body.message).toContain('SVC_GRAPH_SITES');
});

test('with tenant, client and secret the connector is live, without the secret blocked', async () => {
  const modes = async () =>
    (await service.anonymous.get<{ integrations: Record<string, string> }>('/api/ready')).body.integrations;
  await service.reconfigure(graph);
  expect(await modes()).toMatchObject({
    ...{ connector: 'live', labelRead: 'live', changeNotifications: 'disabled' },
  });
  await service.reconfigure({ ...graph, READER_SECRET: '' });
  expect(await modes()).toMatchObject({ connector: 'blocked', labelRead: 'blocked' });
});

test('a fake is refused outside development', async () => {
  const config = loadConfig({
    ...graph,
    SVC_ENV: 'production',
    SVC_SESSION_SECRET: 'a secret of the deployment',
    SVC_DATABASE_URL: database.url,
  });
  await expect(compose(config, Date.now, undefined, { graph: cloudOf(fake) })).rejects.toThrow(/SVC_ENV/);
});

test('only who runs the service may test a source, and the family must exist', async () => {
  const owner = await service.signInAs(PERSONA.financeOwner);
  expect((await owner.post(TEST, {})).status).toBe(403);
  expect((await admin.post(TEST, { family: 'tape' })).status).toBe(400);
});

test('a test of mail reads each inbox, and warns of a reach beyond the selection', async () => {
  const mail = { ...graph, SVC_MAIL_ENABLED: 'true', SVC_MAIL_MAILBOXES: `${ADA},${EVE}` };
  fake.app(READER).permissions = [...READS];
  await service.reconfigure(mail, { graph: cloudOf(fake) });
  const body = await tested('mail');
  expect([body.ok, body.mode]).toEqual([false, 'live']);
  expect(reasonsOf(body)).toMatchObject({ token: 'ok', drive: 'ok', directory: 'ok', reach: 'ok' });
  const sites = { state: 'blocked', reason: 'missing_permission', missing: ['Mail.Read'], position: 2 };
  expect(body.capabilities[1]).toMatchObject(sites);
  const warningsOf = async () => {
    const answer = await admin.get<{ items: { family: string; mode: string; warnings: string[] }[] }>(
      '/api/admin/connectors',
    );
    const found = answer.body.items.find(({ family }) => family === 'mail');
    return [found?.mode, found?.warnings];
  };
  /** The details of readiness that operators see, and what everybody does. */
  const details = async () => {
    const { body } = await admin.get<{ warnings: unknown[] }>('/api/ops/overview');
    const bundle = await admin.get<{ warnings: unknown[] }>('/api/support/diagnostics/preview');
    expect(bundle.body.warnings).toEqual(body.warnings);
    expect((await service.anonymous.get('/api/ready')).text).not.toContain('mailboxes');
    return body.warnings;
  };
  expect(await warningsOf()).toEqual(['live', []]);
  expect(await details()).toEqual([]);
  // A permission of Entra holds for every mailbox.
  fake.app(READER).permissions = [...READS, 'Mail.Read'];
  await service.reconfigure(mail, { graph: cloudOf(fake) });
  const wide = await tested('mail');
  expect(reasonsOf(wide)).toMatchObject({ sites: 'ok', reach: 'reads_all_mailboxes' });
  expect([wide.ok, JSON.stringify(wide).includes(CANARY)]).toEqual([true, false]);
  expect(await warningsOf()).toEqual(['live', ['reads_all_mailboxes']]);
  expect(await lastAudited()).toMatchObject({ details: { reach: 'reads_all_mailboxes' } });
  expect(await details()).toEqual([{ integration: 'mailConnector', warning: 'reads_all_mailboxes' }]);
});

test('what a credential reaches is unknown while the source gives no token', async () => {
  const mail = { ...graph, SVC_MAIL_ENABLED: 'true', SVC_MAIL_MAILBOXES: ADA };
  await service.reconfigure({ ...mail, READER_SECRET: 'wrong' }, { graph: cloudOf(fake) });
  const { body } = await admin.get<{ warnings: unknown[] }>('/api/ops/overview');
  expect(body.warnings).toEqual([{ integration: 'mailConnector', warning: 'mailbox_reach_unknown' }]);
});
