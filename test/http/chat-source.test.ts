import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { CHAT_APP, chatFake } from '../support/graph/chat-tenant.ts';
import { cloudOf } from '../support/graph/connect.ts';
import type { GraphFake } from '../support/graph/graph-fake.ts';
import { CHAT_PERMISSIONS } from '../support/graph/permissions.ts';
import { PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Capability = {
  capability: string;
  state: string;
  reason: string | null;
  missing: string[];
  position: number | null;
};
type Tested = { ok: boolean; mode: string | null; capabilities: Capability[] };

const CANARY = 'CANARY-4711';

let database: TestDatabase;
let service: TestService;
let fake: GraphFake;
let admin: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  fake = await chatFake();
  fake.channel('Sales', 'General').post(CANARY);
  setDefaultCACertificates([...getCACertificates('default'), fake.ca]);
});
afterAll(async () => {
  expect(fake.violations).toEqual([]);
  await service.close();
  await fake.close();
  await database.drop();
});

const select = (...entries: string[]) =>
  service.reconfigure(
    {
      ...{ SVC_CHAT_ENABLED: 'true', SVC_CHAT_TEAMS: entries.join(',') },
      ...{ SVC_GRAPH_TENANT_ID: fake.tenant().id, SVC_GRAPH_CLIENT_ID: CHAT_APP.clientId },
      ...{ SVC_GRAPH_CLIENT_SECRET_REF: 'READER_SECRET', READER_SECRET: CHAT_APP.secret },
    },
    { graph: cloudOf(fake) },
  );
const tested = async () => (await admin.post<Tested>('/api/admin/connector/test', { family: 'chat' })).body;
const lacking = ({ capabilities }: Tested) =>
  Object.fromEntries(
    capabilities
      .filter(({ state, reason }) => state !== 'ok' && reason !== 'not_part_of_source')
      .map(({ capability, reason, missing, position }) => [
        capability,
        [reason, ...missing, ...(position ? [position] : [])],
      ]),
  );
const sales = () => fake.channel('Sales', 'General').team.id;

test('without a selection the source is blocked, and the setting is named', async () => {
  await select();
  expect(await tested()).toMatchObject({ ok: false, mode: null });
  expect(lacking(await tested())).toMatchObject({ sites: ['setting_missing', 'SVC_CHAT_TEAMS'] });
  const { integrations } = (
    await service.anonymous.get<{ integrations: Record<string, string> }>('/api/ready')
  ).body;
  expect(integrations.chatConnector).toBe('blocked');
});

test('with the documented permissions every capability of channels answers', async () => {
  await select(sales());
  const body = await tested();
  expect([body.ok, body.mode, lacking(body)]).toEqual([true, 'live', {}]);
  const { integrations } = (
    await service.anonymous.get<{ integrations: Record<string, string> }>('/api/ready')
  ).body;
  expect(integrations.chatConnector).toBe('live');
});

test.each([
  ['Team.ReadBasic.All', ['sites', 'drive', 'sharing', 'files'], false],
  ['Channel.ReadBasic.All', ['sites', 'drive', 'sharing', 'files'], false],
  ['ChannelMessage.Read.All', ['drive'], false],
  ['TeamMember.Read.All', ['sharing'], true],
  ['ChannelMember.Read.All', ['sharing'], true],
  ['Files.Read.All', ['files'], true],
] as const)('without %s the test names it', async (permission, capabilities, canBeRead) => {
  const app = fake.app(CHAT_APP.clientId);
  app.permissions = CHAT_PERMISSIONS.filter((each) => each !== permission);
  try {
    await select(sales());
    const body = await tested();
    const named = capabilities.map((capability) => [capability, ['missing_permission', permission]]);
    expect([body.ok, lacking(body)]).toEqual([canBeRead, Object.fromEntries(named)]);
  } finally {
    app.permissions = [...CHAT_PERMISSIONS];
  }
});

test('an entry that leads to no channel is named by its place', async () => {
  await select(sales(), 'Sales');
  expect(lacking(await tested())).toMatchObject({ sites: ['site_not_found', 2] });
  await select(fake.channel('Sales', 'Board').externalId);
  expect(lacking(await tested())).toEqual({});
  expect(fake.channel('Sales', 'Board').channel.madeSite).toBe(false);
});

test('only reads leave, and nothing of a message is in the answer or a log', async () => {
  await select(sales());
  const answer = await admin.post<Tested>('/api/admin/connector/test', { family: 'chat' });
  const said = answer.text + service.logs.join('');
  for (const secret of [CANARY, CHAT_APP.secret, fake.channel('Sales', 'General').channel.id]) {
    expect(said).not.toContain(secret);
  }
  const written = fake.calls.filter(({ family, method }) => family !== 'token' && method !== 'GET');
  expect(written).toEqual([]);
});
