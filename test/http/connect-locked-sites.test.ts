import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { cloudOf } from '../support/graph/connect.ts';
import { type GraphFake, startGraphFake } from '../support/graph/graph-fake.ts';
import { guidOf } from '../support/graph/ids.ts';
import type { Refusal, Site } from '../support/graph/state.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Connected = {
  scopesRegistered: number;
  notListed: { items: { name: string; reason: string }[]; truncated: boolean };
};

const READER = guidOf('application/reader');
const SECRET = 'the secret of the reader';

let database: TestDatabase;
let service: TestService;
let fake: GraphFake;
let admin: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 1 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  fake = await startGraphFake({
    tenants: [
      {
        name: 'Contoso',
        apps: [{ clientId: READER, secret: SECRET, permissions: ['Sites.Read.All', 'Files.Read.All'] }],
        sites: [
          { name: 'Finance', libraries: ['Documents', 'Archive'] },
          { name: 'People', libraries: ['Documents'] },
        ],
      },
    ],
  });
  setDefaultCACertificates([...getCACertificates('default'), fake.ca]);
});
beforeEach(async () => {
  for (const site of fake.tenant().sites) site.refusal = null;
  await select('all');
  expect(await connect()).toEqual({
    scopesRegistered: 3,
    notListed: { items: [], truncated: false },
  });
  expect(await selected()).toEqual(['Finance / Archive', 'Finance / Documents', 'People / Documents']);
});
afterAll(async () => {
  expect(fake.violations).toEqual([]);
  await service.close();
  await fake.close();
  await database.drop();
});

const select = (...sites: string[]) =>
  service.reconfigure(
    {
      SVC_CONNECTOR_MODE: 'graph',
      SVC_GRAPH_TENANT_ID: fake.tenant().id,
      SVC_GRAPH_CLIENT_ID: READER,
      SVC_GRAPH_CLIENT_SECRET_REF: 'READER_SECRET',
      READER_SECRET: SECRET,
      SVC_GRAPH_SITES: sites.join(','),
    },
    { graph: cloudOf(fake) },
  );
const connect = async () => {
  const { status, body } = await admin.post<Connected>('/api/sources/connect');
  expect(status).toBe(200);
  return { scopesRegistered: body.scopesRegistered, notListed: body.notListed };
};
const selected = async () => {
  const rows = await database.inspect<{ name: string }>(sql`
    select s.name from scopes s join connector_instances i using (tenant_id, connector_instance_id)
     where s.tenant_id = ${DEV} and i.family = 'm365' and s.selected and s.kind = 'drive' order by s.name`);
  return rows.map(({ name }) => name);
};
const site = (name: string): Site =>
  fake.tenant().sites.find((each) => each.name === name) ?? expect.unreachable();
const address = (name: string) => `${fake.tenant().hostName}:/${site(name).path}`;

test.each<[Refusal, string]>([
  ['locked', 'locked'],
  ['denied', 'denied'],
  ['gone', 'not_found'],
  ['malformed', 'malformed_id'],
])('a site that answers %s is named, and its libraries stay selected', async (refusal, reason) => {
  site('Finance').refusal = refusal;
  expect(await connect()).toEqual({
    scopesRegistered: 1,
    notListed: { items: [{ name: 'Finance', reason }], truncated: false },
  });
  expect(await selected()).toEqual(['Finance / Archive', 'Finance / Documents', 'People / Documents']);
});

test('a source whose labels cannot be listed is connected all the same', async () => {
  fake.fail({ on: 'label_catalogue', fault: { kind: 'error', status: 400, code: 'badRequest' } });
  expect(await connect()).toMatchObject({ scopesRegistered: 3 });
  expect(service.logs.join('')).toContain('label_catalog_failed');
});

test('a library that was left out does not come back if its site is selected no longer', async () => {
  const narrow = (scopeIds: string[] | null) =>
    admin.request<{ error?: string; selected?: number }>('PUT', '/api/admin/connectors/m365/selection', {
      body: { scopeIds, unselected: 'keep' },
    });
  const { body } = await admin.get<{ items: { scopeId: string; name: string }[] }>('/api/sources');
  const idOf = (name: string) =>
    body.items.find((source) => source.name === name)?.scopeId ?? expect.unreachable(name);
  await narrow([idOf('People / Documents')]);
  await select(address('People'));
  await connect();
  expect((await narrow([idOf('Finance / Archive')])).body).toMatchObject({ error: 'blocked_capability' });
  expect((await narrow(null)).body).toMatchObject({ selected: 1 });
  expect(await selected()).toEqual(['People / Documents']);
});

test('a site that is selected by its address while it is locked is known from before', async () => {
  site('Finance').refusal = 'locked';
  await select(address('Finance').toUpperCase(), address('People'));
  expect(await connect()).toEqual({
    scopesRegistered: 1,
    notListed: { items: [{ name: address('Finance').toUpperCase(), reason: 'locked' }], truncated: false },
  });
  expect(await selected()).toEqual(['Finance / Archive', 'Finance / Documents', 'People / Documents']);
});

test('a locked site that is taken out of the selection is no longer selected', async () => {
  site('Finance').refusal = 'locked';
  site('People').refusal = 'locked';
  await select(address('People'));
  expect((await connect()).scopesRegistered).toBe(0);
  expect(await selected()).toEqual(['People / Documents']);
});

test('a library that its site no longer lists is no longer selected', async () => {
  const [, archive] = site('Finance').drives;
  if (archive === undefined) return expect.unreachable();
  archive.refusal = 'gone';
  site('People').refusal = 'locked';
  await connect();
  expect(await selected()).toEqual(['Finance / Documents', 'People / Documents']);
  archive.refusal = null;
});

test('scopes of a former release are deselected only when every site was listed', async () => {
  await database.inspect(sql`update scopes set site_ids = null where tenant_id = ${DEV}`);
  site('Finance').refusal = 'locked';
  await select(address('Finance'));
  await connect();
  expect(await selected()).toEqual(['Finance / Archive', 'Finance / Documents', 'People / Documents']);
  site('Finance').refusal = null;
  await connect();
  expect(await selected()).toEqual(['Finance / Archive', 'Finance / Documents']);
});
