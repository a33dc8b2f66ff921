import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { cloudOf } from '../support/graph/connect.ts';
import { type GraphFake, startGraphFake } from '../support/graph/graph-fake.ts';
import { guidOf } from '../support/graph/ids.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Family = 'chat' | 'mail';
type List<T> = { items: T[]; total: number };
type Container = {
  containerId: string;
  name: string;
  selected: boolean;
  dueAt: string | null;
  messages: number;
};
type Selected = {
  selected: number;
  notSelected: number;
  ended: { scopes: number; assets: number };
  kept: { items: { scopeId: string; name: string; assets: number }[] };
  assetsKept: number;
  complete: boolean;
  message: string;
};
type Synced = {
  complete: boolean;
  containers: { total: number; notSelected: number };
  messages: { added: number };
  removed: { items: { name: string; messages: number }[] };
};

const READER = guidOf('application/reader');
const CANARY = 'xylophonquagga';
const ADA = `ada@${CANARY}.example`;
const BEN = `ben@${CANARY}.example`;
const EVE = `eve@${CANARY}.example`;
const BOTH = { SVC_CHAT_ENABLED: 'true', SVC_MAIL_ENABLED: 'true' };
const LISTS = { chat: '/api/chat/channels', mail: '/api/mail/mailboxes' } as const;

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const containers = async (family: Family) => (await admin.get<List<Container>>(LISTS[family])).body.items;
const shown = async (family: Family, id: string) =>
  (await containers(family)).find(({ containerId }) => containerId === id) ?? expect.unreachable(id);
const named = async (name: string) =>
  (await containers('mail')).find((one) => one.name === name) ?? expect.unreachable(name);
const idsOf = async (family: Family, but?: string) =>
  (await containers(family)).map(({ containerId }) => containerId).filter((id) => id !== but);
const select = (family: Family, scopeIds: string[] | null, unselected: 'keep' | 'end', who = admin) =>
  who.request<Selected>('PUT', `/api/admin/connectors/${family}/selection`, {
    body: { scopeIds, unselected },
  });
const sync = async (family: Family) => (await admin.post<Synced>(`/api/${family}/sync`)).body;
const total = async (path: string) => (await admin.get<List<unknown>>(path)).body.total;
const audited = async () => {
  const rows = await database.inspect<{ record: string }>(
    sql`select record from audit_events where tenant_id = ${DEV} order by seq desc limit 3`,
  );
  return rows.map(({ record }) => JSON.parse(record).event);
};
const mode = async (integration: string) =>
  (await admin.get<{ integrations: Record<string, string> }>('/api/ready')).body.integrations[integration];

describe.each(['chat', 'mail'] as const)('the selection of %s', (family) => {
  let first: Container;

  beforeEach(async () => {
    await service.reconfigure(BOTH);
    await sync(family);
    await select(family, null, 'keep');
    await sync(family);
    const [found] = (await containers(family)).toSorted((a, b) => b.messages - a.messages);
    first = found ?? expect.unreachable('none is synced');
  });

  test('keeps what is stored of one that is left out, and syncs it no more', async () => {
    const all = await containers(family);
    const answer = await select(family, await idsOf(family, first.containerId), 'keep');
    expect(answer).toMatchObject({
      status: 200,
      body: {
        ...{ selected: all.length - 1, notSelected: 1, ended: { scopes: 0, assets: 0 } },
        kept: { items: [{ scopeId: first.containerId, name: first.name, assets: first.messages }] },
        ...{ assetsKept: first.messages, complete: true },
      },
    });
    expect((await audited())[0]).toMatchObject({
      ...{ category: 'config', type: 'source_selection_set' },
      target: { kind: 'source_family', id: family },
      details: { unselected: 'keep', notSelected: 1, assetsEnded: 0, assetsKept: first.messages },
    });
    expect(await shown(family, first.containerId)).toEqual({
      ...first,
      selected: false,
      dueAt: null,
    });
    expect(await sync(family)).toMatchObject({
      ...{ complete: true, messages: { added: 0 }, removed: { items: [] } },
      containers: { total: all.length - 1, notSelected: 1 },
    });
    expect(await shown(family, first.containerId)).toMatchObject({
      selected: false,
      messages: first.messages,
    });
    expect(await total(`/api/${family}/messages?containerId=${first.containerId}`)).toBe(first.messages);
    const connectors = await admin.get<List<Record<string, unknown>>>('/api/admin/connectors');
    expect(connectors.body.items.find((one) => one.family === family)).toMatchObject({
      scopes: { registered: all.length, selected: all.length - 1 },
      assetsNotSelected: first.messages,
    });
  });

  test('deletes what is stored, as asked, and reads again what is selected again', async () => {
    const others = await idsOf(family, first.containerId);
    const { body } = await select(family, others, 'end');
    expect(body).toMatchObject({
      ...{ ended: { scopes: 1, assets: first.messages }, kept: { items: [] }, assetsKept: 0 },
      complete: true,
    });
    expect((await audited()).find(({ type }) => type === 'message_container_ended')).toMatchObject({
      target: { kind: 'message_container', id: first.containerId },
      details: { family, messages: first.messages },
    });
    expect(await shown(family, first.containerId)).toMatchObject({ selected: false, messages: 0 });
    expect(await total(`/api/${family}/messages?containerId=${first.containerId}`)).toBe(0);
    expect(await total(`/api/${family}/findings?containerId=${first.containerId}`)).toBe(0);
    expect((await sync(family)).messages.added).toBe(0);
    expect((await select(family, others, 'end')).body.ended).toEqual({ scopes: 0, assets: 0 });
    await select(family, null, 'keep');
    expect((await sync(family)).messages.added).toBe(first.messages);
    expect(await shown(family, first.containerId)).toMatchObject({
      selected: true,
      messages: first.messages,
    });
  });

  test('refuses what is none of its containers, and callers who may not configure', async () => {
    const [other] = await idsOf(family === 'chat' ? 'mail' : 'chat');
    for (const id of ['mct_none', other ?? 'mct_other']) {
      expect(await select(family, [id], 'keep')).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'scopeIds.0', message: 'Must be a scope of this source.' }] },
      });
    }
    for (const persona of [PERSONA.auditor, PERSONA.governanceAdmin, PERSONA.financeOwner]) {
      const answer = await select(family, null, 'end', await service.signInAs(persona));
      expect([answer.status, JSON.stringify(answer.body).includes(first.name)]).toEqual([403, false]);
    }
  });

  test('reconciles a source that is switched off, which is blocked until then', async () => {
    await service.reconfigure({ SVC_CHAT_ENABLED: 'false', SVC_MAIL_ENABLED: 'false' });
    const integration = `${family}Connector`;
    expect(await mode(integration)).toBe('blocked');
    const refused = await select(family, null, 'keep');
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining('SVC_GRAPH_')]);
    expect((await select(family, [], 'keep')).body).toMatchObject({ selected: 0, complete: true });
    expect(await mode(integration)).toBe('blocked');
    const ended = await select(family, [], 'end');
    expect(ended.body).toMatchObject({ assetsKept: 0, complete: true });
    expect(ended.body.ended.assets).toBeGreaterThan(0);
    expect(await mode(integration)).toBe('disabled');
  });
});

describe('the selection of mailboxes', () => {
  let fake: GraphFake;
  const configure = (mailboxes: string) =>
    service.reconfigure(
      {
        ...{ SVC_MAIL_ENABLED: 'true', SVC_MAIL_MAILBOXES: mailboxes, SVC_GRAPH_CLIENT_ID: READER },
        ...{ SVC_GRAPH_TENANT_ID: fake.tenant().id, SVC_GRAPH_CLIENT_SECRET_REF: 'READER_SECRET' },
        READER_SECRET: CANARY,
      },
      { graph: cloudOf(fake) },
    );

  beforeAll(async () => {
    const app = { clientId: READER, secret: CANARY, permissions: ['Mail.Read', 'Organization.Read.All'] };
    fake = await startGraphFake({
      tenants: [{ name: CANARY, apps: [app], mailboxes: [ADA, BEN, EVE], sites: [] }],
    });
    setDefaultCACertificates([...getCACertificates('default'), fake.ca]);
    for (const address of [ADA, BEN, EVE]) {
      const mailbox = fake.mailbox(address);
      mailbox.deliver(mailbox.folder('inbox'), { subject: address, from: address });
    }
  });
  afterAll(async () => {
    expect(fake.violations).toEqual([]);
    await fake.close();
  });

  test('is one of the setting, whatever else the application may read', async () => {
    await configure(`${ADA},${BEN}`);
    expect((await sync('mail')).containers).toMatchObject({ total: 2 });
    const ben = await named(BEN);
    await configure(ADA);
    const { status, body } = await select('mail', [ben.containerId], 'keep');
    expect([status, body.message]).toEqual([
      422,
      'The configuration does not select 1 of these scopes: name them in SVC_MAIL_MAILBOXES, and sync it again: ' +
        'POST /api/mail/sync.',
    ]);
    expect(await select('mail', [EVE], 'keep')).toMatchObject({ status: 400 });
    expect((await select('mail', null, 'keep')).body).toMatchObject({ selected: 1, notSelected: 1 });
    const answer = await sync('mail');
    expect(answer.removed.items).toEqual([{ name: BEN, messages: 1 }]);
    expect(await containers('mail')).toMatchObject([{ name: ADA, selected: true }]);
  });

  test('leaves out a mailbox that denies its messages: a sync does not fail for it', async () => {
    await configure(`${ADA},${BEN}`);
    await sync('mail');
    fake.app(READER).permissions = ['Organization.Read.All'];
    fake.app(READER).mailboxes = [ADA];
    await configure(`${ADA},${BEN}`);
    expect((await admin.post('/api/mail/sync')).status).toBe(500);
    const ada = await named(ADA);
    expect((await select('mail', [ada.containerId], 'keep')).status).toBe(200);
    expect(await sync('mail')).toMatchObject({
      ...{ complete: true, containers: { total: 1, notSelected: 1 } },
    });
    expect(await named(BEN)).toMatchObject({ selected: false, messages: 1 });
  });
});

test('a source that was never synced has nothing to select', async () => {
  await database.inspect(sql`delete from message_syncs where tenant_id = ${DEV} and family = 'chat'`);
  expect(await select('chat', [], 'keep')).toMatchObject({ status: 409 });
});
