import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { clientStateOf } from '../../core/notifications/client-state.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Subscription = {
  subscriptionId: string;
  sourceSubscriptionId: string;
  scopeId: string;
  mode: string;
  status: string;
  lastError: string | null;
  expiresAt: string;
  renewedAt: string | null;
};
type List<T> = { items: T[]; truncated: boolean };
type Fault = { error: string; message: string };

const MINUTE = 60_000;
const SUBSCRIBE = '/api/admin/notifications/subscribe';
const RENEW = '/api/admin/notifications/renew';
const SUBSCRIPTIONS = '/api/admin/notifications/subscriptions';
const RECENT = '/api/admin/notifications/recent';

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let scopeIds: string[];

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.post('/api/sources/connect');
  scopeIds = (await admin.get<List<{ scopeId: string }>>('/api/sources')).body.items.map(
    (each) => each.scopeId,
  );
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const counters = () => service.runtime().metrics.snapshot().counters;
const listed = async (who = admin) => (await who.get<List<Subscription>>(SUBSCRIPTIONS)).body.items;
const auditTypes = async () =>
  (
    await database.inspect<{ record: string }>(
      sql`select record from audit_events where tenant_id = ${DEV} and category = 'config' order by seq`,
    )
  ).map(({ record }) => JSON.parse(record).event.type);

test('concurrent subscribing makes one subscription, which every caller receives', async () => {
  const scopeId = scopeIds[0];
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => admin.post<Subscription>(SUBSCRIBE, { scopeId })),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ body }) => body.subscriptionId)).size).toBe(1);
  expect(await listed()).toMatchObject([{ scopeId, mode: 'mock', status: 'active', lastError: null }]);
  expect(counters()['change_subscription_created:mock']).toBe(1);
  expect((await auditTypes()).filter((type) => type === 'subscription_created')).toHaveLength(1);
});

test('the id at the source is listed; the secret of a notification never is', async () => {
  const [row] = await database.inspect<{ subscription_id: string; external_id: string }>(
    sql`select subscription_id, external_id from change_subscriptions where tenant_id = ${DEV}`,
  );
  const secret = service.runtime().config.SVC_SESSION_SECRET;
  const { text } = await admin.get(SUBSCRIPTIONS);
  expect(await listed()).toMatchObject([
    { subscriptionId: row?.subscription_id, sourceSubscriptionId: row?.external_id },
  ]);
  expect(service.logs.join('')).not.toContain(row?.external_id);
  const said = text + service.logs.join('');
  expect(said).not.toContain(clientStateOf(secret, row?.subscription_id ?? ''));
});

test('a sweep by hand renews what has less than 20 minutes left, and says so', async () => {
  expect((await admin.post(RENEW)).body).toEqual({ renewed: 0, failed: 0, postponed: 0, registered: 0 });
  const before = (await listed())[0];
  service.clock.advance(45 * MINUTE);
  expect((await admin.post(RENEW)).body).toEqual({ renewed: 1, failed: 0, postponed: 0, registered: 0 });
  const after = (await listed())[0];
  expect(after?.renewedAt).not.toBeNull();
  expect(Date.parse(after?.expiresAt ?? '') - Date.parse(before?.expiresAt ?? '')).toBeGreaterThan(
    44 * MINUTE,
  );
  expect(counters()['change_subscription_renewed:mock']).toBe(1);
  expect(await auditTypes()).toContain('subscriptions_renewed');
});

test('only who configures connectors subscribes and renews; who reads operations sees', async () => {
  const auditor = await service.signInAs(PERSONA.auditor);
  const governance = await service.signInAs(PERSONA.governanceAdmin);
  for (const who of [auditor, governance]) {
    expect((await who.post(SUBSCRIBE, { scopeId: scopeIds[1] })).status).toBe(403);
    expect((await who.post(RENEW)).status).toBe(403);
  }
  expect(await listed(auditor)).toHaveLength(1);
  expect((await auditor.get(RECENT)).body).toEqual({ items: [], truncated: false });
  expect((await governance.get(SUBSCRIPTIONS)).status).toBe(403);
  expect((await governance.get(RECENT)).status).toBe(403);
  expect((await service.anonymous.get(RECENT)).status).toBe(401);
});

test('a missing or foreign scope does not exist; a body must be one', async () => {
  const other = await service.signInAs(inOther(PERSONA.platformAdmin));
  expect((await admin.post(SUBSCRIBE, { scopeId: 'scp_none' })).status).toBe(404);
  expect((await other.post(SUBSCRIBE, { scopeId: scopeIds[0] })).status).toBe(404);
  expect(await listed(other)).toEqual([]);
  expect((await other.post(RENEW)).body).toEqual({ renewed: 0, failed: 0, postponed: 0, registered: 0 });
  for (const body of [
    {},
    { scopeId: '' },
    { scopeId: 7 },
    { scopeId: 'x'.repeat(65) },
    { scopeId: 'x', mode: 'live' },
  ]) {
    expect((await admin.post(SUBSCRIBE, body)).status).toBe(400);
  }
});

test('a scope that the source forgot is refused and leaves no subscription', async () => {
  await database.inspect(sql`update scopes set external_id = 'gone' where scope_id = ${scopeIds[2] ?? ''}`);
  const { status, body } = await admin.post<Fault>(SUBSCRIBE, { scopeId: scopeIds[2] });
  expect({ status, error: body.error }).toEqual({ status: 409, error: 'conflict' });
  expect(body.message).toContain('scope_unknown');
  expect(await listed()).toHaveLength(1);
});

test('a source that never notifies is refused, and the message says what scans it', async () => {
  await database.inspect(sql`
    with instance as (
      insert into connector_instances (tenant_id, connector_instance_id, family, mode, created_at)
      values (${DEV}, 'con_smb', 'smb', 'live', now()) returning tenant_id)
    insert into scopes (tenant_id, scope_id, connector_instance_id, family, external_id, name, kind, created_at)
    select tenant_id, 'scp_smb', 'con_smb', 'smb', 'finance', 'Finance', 'share', now() from instance`);
  await service.reconfigure({ SVC_SMB_ENABLED: 'true', SVC_SMB_ROOT: '/nowhere', SVC_SMB_SHARES: 'finance' });
  const { status, body } = await admin.post<Fault>(SUBSCRIBE, { scopeId: 'scp_smb' });
  expect({ status, error: body.error }).toEqual({ status: 422, error: 'blocked_capability' });
  expect(body.message).toContain('SVC_DELTA_SCHEDULE');
});

test('the live source without flag, address and credentials is refused by their names', async () => {
  await service.reconfigure({ SVC_CONNECTOR_MODE: 'graph' });
  const { status, body } = await admin.post<Fault>(SUBSCRIBE, { scopeId: scopeIds[1] });
  expect({ status, error: body.error }).toEqual({ status: 422, error: 'blocked_capability' });
  for (const setting of [
    'SVC_CHANGE_NOTIFICATIONS_ENABLED',
    'SVC_WEBHOOK_PUBLIC_URL',
    'SVC_GRAPH_TENANT_ID',
    'SVC_GRAPH_CLIENT_ID',
    'SVC_GRAPH_CLIENT_SECRET_REF',
  ]) {
    expect(body.message).toContain(setting);
  }
  expect(await listed()).toHaveLength(1);
});

test('a subscription of the mock visibly fails once the live source replaces it', async () => {
  service.clock.advance(45 * MINUTE);
  expect((await admin.post(RENEW)).body).toEqual({ renewed: 0, failed: 1, postponed: 0, registered: 0 });
  expect(await listed()).toMatchObject([{ status: 'error', lastError: 'renew_failed' }]);
  await service.reconfigure({});
  expect((await admin.post<Subscription>(SUBSCRIBE, { scopeId: scopeIds[0] })).body).toMatchObject({
    status: 'active',
    lastError: null,
  });
  expect(await listed()).toHaveLength(1);
});
