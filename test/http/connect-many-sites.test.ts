import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { listedScopes } from '../../core/sources/listed-scopes.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { cloudOf, connectorOf } from '../support/graph/connect.ts';
import { type GraphFake, startGraphFake } from '../support/graph/graph-fake.ts';
import { guidOf } from '../support/graph/ids.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Connected = { scopesRegistered: number; scopesDeselected: number; mode: string; nextPageToken?: string };

const CONNECT = '/api/sources/connect';
const READER = guidOf('application/reader');
const SECRET = 'the secret of the reader';
const SITES = 1_150;
/** Sites on a page of the fake, and on a page of the connector. */
const GRAPH_PAGE = 100;
const PAGE = 500;

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
        sites: Array.from({ length: SITES }, (_, n) => ({ name: `Site ${n}`, libraries: ['Documents'] })),
      },
    ],
  });
  setDefaultCACertificates([...getCACertificates('default'), fake.ca]);
  await service.reconfigure(
    {
      SVC_CONNECTOR_MODE: 'graph',
      SVC_GRAPH_TENANT_ID: fake.tenant().id,
      SVC_GRAPH_CLIENT_ID: READER,
      SVC_GRAPH_CLIENT_SECRET_REF: 'READER_SECRET',
      READER_SECRET: SECRET,
      SVC_GRAPH_SITES: 'all',
    },
    { graph: cloudOf(fake) },
  );
});
afterEach(() => fake.noMoreFaults());
afterAll(async () => {
  expect(fake.violations).toEqual([]);
  await service.close();
  await fake.close();
  await database.drop();
});

const connect = async (body: object = {}) => {
  const answer = await admin.post<Connected>(CONNECT, body);
  expect(answer.status).toBe(200);
  return answer.body;
};
const selected = async () => {
  const [row] = await database.inspect<{ count: number }>(sql`
    select count(*)::int as count from scopes s join connector_instances i using (tenant_id, connector_instance_id)
     where s.tenant_id = ${DEV} and i.family = 'm365' and s.selected and s.name like 'Site %'`);
  return row?.count ?? 0;
};
const refusing = { on: 'sites_all', fault: { kind: 'error', status: 403, code: 'accessDenied' } } as const;

test('the libraries of 20 sites are one call, while the next sites are listed', async () => {
  fake.clearCalls();
  fake.setLatency(100);
  const listed = await listedScopes(connectorOf(fake, READER), null, 25_000);
  fake.setLatency(0);
  expect([listed.scopes.length, listed.nextPageToken, listed.complete]).toEqual([SITES, null, true]);
  expect(fake.callsOf('sites_all')).toHaveLength(Math.ceil(SITES / GRAPH_PAGE));
  const batches = Math.ceil(SITES / 20);
  expect(fake.callsOf('batch').length).toBeLessThanOrEqual(batches + 2);
});

test('what was listed when the time ran out counts, and the rest follows', async () => {
  fake.fail({ on: 'sites_all', after: PAGE / GRAPH_PAGE, fault: { kind: 'delay', ms: 60_000 } });
  const connector = connectorOf(fake, READER);
  // Long enough for the first page on a busy machine.
  const first = await listedScopes(connector, null, 15_000);
  expect([first.scopes.length, first.complete]).toEqual([PAGE, false]);
  const rest = await listedScopes(connector, first.nextPageToken, 25_000);
  expect([rest.nextPageToken, rest.complete]).toEqual([null, false]);
  const ids = [...first.scopes, ...rest.scopes].map(({ externalId }) => externalId);
  expect([ids.length, new Set(ids).size]).toEqual([SITES, SITES]);
});

test('a source that fails midway is registered so far, and goes on where it ended', async () => {
  fake.fail({ ...refusing, after: PAGE / GRAPH_PAGE });
  const first = await connect();
  expect(first).toMatchObject({ scopesRegistered: PAGE, mode: 'live', nextPageToken: expect.any(String) });
  expect(await selected()).toBe(PAGE);
  const second = await connect({ pageToken: first.nextPageToken });
  expect([second.scopesRegistered, second.nextPageToken]).toEqual([SITES - PAGE, undefined]);
  expect(await selected()).toBe(SITES);
});

test('a call that lists all marks what is no longer selected, and no other call does', async () => {
  fake.tenant().sites.pop();
  fake.fail({ ...refusing, after: PAGE / GRAPH_PAGE });
  const { nextPageToken } = await connect();
  expect((await connect({ pageToken: nextPageToken })).scopesDeselected).toBe(0);
  expect(await selected()).toBe(SITES);
  expect(await connect()).toMatchObject({ scopesRegistered: SITES - 1, scopesDeselected: 1 });
  expect(await selected()).toBe(SITES - 1);
});

test('an unknown page and a refusing source are told in words', async () => {
  const elsewhere = Buffer.from('https://evil.example/v1.0/sites/getAllSites').toString('base64url');
  const otherCall = Buffer.from('/v1.0/users').toString('base64url');
  for (const pageToken of ['no such page', elsewhere, otherCall, '', 'x'.repeat(24_001)]) {
    const { status, body } = await admin.post<{ issues: { path: string }[] }>(CONNECT, { pageToken });
    expect([status, body.issues.map(({ path }) => path)]).toEqual([400, ['pageToken']]);
  }
  fake.fail(refusing);
  const { status, body } = await admin.post<{ error: string; message: string }>(CONNECT, {});
  expect([status, body.error]).toEqual([422, 'blocked_capability']);
  expect(body.message).toContain('graph_sites_all_403');
});
