import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Mapping = {
  mappingId: string;
  domainId: string;
  regulation: string;
  status: string;
  revision: number;
  citation: { documentId: string; version: number; anchor: string; heading: string } | null;
};
type List = { items: Mapping[]; truncated: boolean };

const PATH = '/api/governance/regulatory-mappings';
const LABEL = 'mapped as relevant, not a legal determination';

let database: TestDatabase;
let service: TestService;
let governance: SignedIn;
let second: SignedIn;
let documentId: string;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  second = await service.signInAs(PERSONA.secondGovernanceAdmin);
  documentId = (
    await governance.post<{ documentId: string }>('/api/onboarding/policy-documents', {
      title: 'Retention',
      filename: 'retention.md',
      text: '# 1 Scope\nAll.\n# 2 Invoices\nTen years.\n',
    })
  ).body.documentId;
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

let named = 0;
const body = (more: object = {}) => ({
  ...{
    domainId: 'dom_finance',
    jurisdiction: 'Germany',
    regulation: `Regulation ${named++}`,
    rationale: 'Books.',
  },
  ...more,
});
const draft = async (more: object = {}) => {
  const answer = await governance.post<Mapping>(PATH, body(more));
  expect([answer.status, answer.body]).toMatchObject([200, { status: 'draft', label: LABEL }]);
  return answer.body;
};
const decide = (id: string, decision: 'approve' | 'reject', more: object = {}, who = second) =>
  who.post<Mapping>(`${PATH}/${id}/${decision}`, more);

test('a mapping keeps the section of the version that it cites', async () => {
  const drafted = await draft({ citation: { documentId, anchor: '2' } });
  const citation = { documentId, version: 1, anchor: '2', heading: '2 Invoices' };
  expect(drafted.citation).toEqual(citation);
  await governance.post('/api/onboarding/policy-documents', {
    ...{ title: 'Retention', filename: 'retention.md' },
    text: '# 1 Scope\nAll.\n# 2 Bills\nEight years.\n',
  });
  const { items } = (await governance.get<List>(PATH)).body;
  expect(items.find(({ mappingId }) => mappingId === drafted.mappingId)?.citation).toEqual(citation);
  expect((await draft({ citation: { documentId, anchor: '2' } })).citation).toEqual({
    ...citation,
    ...{ version: 2, heading: '2 Bills' },
  });
  expect((await draft({ citation: { documentId, version: 1, anchor: '1' } })).citation).toMatchObject({
    version: 1,
  });
});

test.each([
  ['citation.documentId', { citation: { documentId: 'pol_none', anchor: '1' } }],
  [
    'citation.documentId',
    {
      citation: {
        get documentId() {
          return documentId;
        },
        version: 9,
        anchor: '1',
      },
    },
  ],
  [
    'citation.anchor',
    {
      citation: {
        get documentId() {
          return documentId;
        },
        anchor: '9',
      },
    },
  ],
  ['domainId', { domainId: 'dom_none' }],
  ['rationale', { rationale: ' ' }],
  ['jurisdiction', { jurisdiction: 'x'.repeat(121) }],
])('what names nothing is refused at %s', async (path, more) => {
  expect(await governance.post(PATH, body(more))).toMatchObject({
    status: 400,
    body: { issues: [{ path }] },
  });
});

test('is approved or rejected once, by a named person, and audited', async () => {
  const one = await draft();
  expect((await decide(one.mappingId, 'approve', { revision: 9 })).status).toBe(409);
  const approved = await decide(one.mappingId, 'approve', { revision: 1 });
  expect(approved).toMatchObject({
    status: 200,
    body: { status: 'approved', decidedBy: PERSONA.secondGovernanceAdmin, revision: 2, label: LABEL },
  });
  expect((await decide(one.mappingId, 'approve', {}, governance)).body).toEqual(approved.body);
  expect((await decide(one.mappingId, 'reject')).body).toMatchObject({ status: 'rejected', revision: 3 });
  expect((await decide(one.mappingId, 'reject')).body).toMatchObject({ status: 'rejected', revision: 3 });
  expect((await decide(one.mappingId, 'approve')).status).toBe(409);
  const rows = await database.inspect<{ type: string }>(sql`
    select record::jsonb #>> '{event,type}' as type from audit_events
     where tenant_id = ${DEV} and record like ${`%${one.mappingId}%`} order by seq`);
  expect(rows.map(({ type }) => type)).toEqual([
    'regulatory_mapping_drafted',
    'regulatory_mapping_approved',
    'regulatory_mapping_rejected',
  ]);
});

test('is drafted once for its domain, unless it was rejected', async () => {
  const once = body({ regulation: 'Only once' });
  const answers = await Promise.all(Array.from({ length: 3 }, () => governance.post<Mapping>(PATH, once)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect((await governance.post(PATH, { ...once, regulation: 'ONLY ONCE' })).status).toBe(409);
  expect((await governance.post(PATH, { ...once, domainId: 'dom_legal' })).status).toBe(200);
  const first = answers.find(({ status }) => status === 200)?.body.mappingId ?? '';
  await decide(first, 'reject');
  expect((await governance.post(PATH, once)).status).toBe(200);
});

test('waits for its domain to be approved', async () => {
  const { body: domain } = await governance.post<{ id: string }>('/api/governance/domains', {
    name: 'Patents',
  });
  const mapping = await draft({ domainId: domain.id });
  const counts = async () =>
    (
      await governance.get<{ items: { id: string; regulatoryMappings: object }[] }>(
        '/api/governance/taxonomy',
      )
    ).body.items.find(({ id }) => id === domain.id)?.regulatoryMappings;
  expect(await counts()).toEqual({ draft: 1, approved: 0 });
  expect((await decide(mapping.mappingId, 'approve')).status).toBe(409);
  await governance.post(`/api/governance/domains/${domain.id}/approve`);
  expect((await decide(mapping.mappingId, 'approve')).status).toBe(200);
  expect(await counts()).toEqual({ draft: 0, approved: 1 });
  await decide(mapping.mappingId, 'reject');
  expect(await counts()).toEqual({ draft: 0, approved: 0 });
});

test('is listed to owners of its domain alone; of a foreign domain there is nothing', async () => {
  const mine = await draft();
  const theirs = await draft({ domainId: 'dom_human_resources' });
  const owner = await service.signInAs(PERSONA.financeOwner);
  const list = async (who: SignedIn, query = '') => (await who.get<List>(`${PATH}${query}`)).body;
  const ids = ({ items }: List) => items.map(({ mappingId }) => mappingId);
  const seen = await list(owner);
  expect(ids(seen)).toContain(mine.mappingId);
  expect(new Set(seen.items.map(({ domainId }) => domainId))).toEqual(new Set(['dom_finance']));
  expect(await list(owner, '?domainId=dom_human_resources')).toEqual({ items: [], truncated: false });
  expect(await list(owner, '?domainId=dom_none')).toEqual({ items: [], truncated: false });
  expect(ids(await list(governance, '?domainId=dom_human_resources'))).toEqual([theirs.mappingId]);
  const auditor = await service.signInAs(PERSONA.auditor);
  expect(ids(await list(auditor))).toEqual(ids(await list(governance)));
  const foreign = await service.signInAs(inOther(PERSONA.governanceAdmin));
  expect(await list(foreign)).toEqual({ items: [], truncated: false });
  expect((await decide(mine.mappingId, 'approve', {}, foreign)).status).toBe(404);
  for (const who of [owner, auditor, await service.signInAs(PERSONA.platformAdmin)]) {
    expect((await who.post(PATH, body())).status).toBe(403);
    expect((await decide(mine.mappingId, 'approve', {}, who)).status).toBe(403);
    expect((await decide(mine.mappingId, 'reject', {}, who)).status).toBe(403);
  }
  expect((await (await service.signInAs(PERSONA.platformAdmin)).get(PATH)).status).toBe(403);
});

test('the list is bounded and says so', async () => {
  await database.inspect(sql`
    insert into regulatory_mappings (tenant_id, mapping_id, domain_id, jurisdiction, regulation, rationale, origin,
                                     created_by, created_at, updated_at)
    select ${DEV}, 'map_filler_' || n, 'dom_legal', 'Filler', 'Filler ' || n, '', 'manual', ${PERSONA.governanceAdmin},
           now(), now()
      from generate_series(1, 1000) as n`);
  const { items, truncated } = (await governance.get<List>(PATH)).body;
  expect([items.length, truncated]).toEqual([200, true]);
  expect((await governance.post(PATH, body())).status).toBe(409);
});
