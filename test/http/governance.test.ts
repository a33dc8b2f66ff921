import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { DEVELOPMENT_TAXONOMY } from '../../infra/local/fixture/development-taxonomy.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { inOther, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Taxonomy = {
  items: { id: string; name: string; status: string; informationTypes: { id: string; status: string }[] }[];
  truncated: boolean;
};

/** What was there when the tenant was made. */
const PROVISIONED = {
  ...{ status: 'approved', origin: 'provisioned', provider: null, model: null, createdBy: null },
  ...{ approvedBy: null, approvedAt: null, revision: 1 },
};

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const taxonomyOf = async (caller: SignedIn) => {
  const { status, body } = await caller.get<Taxonomy>('/api/governance/taxonomy');
  expect(status).toBe(200);
  return body;
};

test('a tenant-wide reader sees every domain with its types, as approved', async () => {
  const { items, truncated } = await taxonomyOf(await service.signInAs(PERSONA.governanceAdmin));
  expect(truncated).toBe(false);
  expect(items.map(({ name }) => name)).toEqual([...DEVELOPMENT_TAXONOMY.map(({ name }) => name)].sort());
  for (const seeded of DEVELOPMENT_TAXONOMY) {
    const { informationTypes, ...domain } = seeded;
    const listed = items.find(({ id }) => id === seeded.id);
    expect(listed).toMatchObject({ ...domain, ...PROVISIONED });
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    expect([...(listed?.informationTypes ?? [])].sort(byId)).toMatchObject(
      [...informationTypes].sort(byId).map((type) => ({ ...type, ...PROVISIONED })),
    );
  }
  expect(await taxonomyOf(await service.signInAs(PERSONA.auditor))).toEqual({ items, truncated });
});

test('a domain owner sees the owned domains and no other', async () => {
  const finance = await taxonomyOf(await service.signInAs(PERSONA.financeOwner));
  expect(finance.items.map(({ id }) => id)).toEqual(['dom_finance']);
  const people = await taxonomyOf(await service.signInAs(PERSONA.peopleOwner));
  expect(people.items.map(({ id }) => id).sort()).toEqual(['dom_health_and_safety', 'dom_human_resources']);
});

test('drafts are shown as such, and another tenant keeps its own', async () => {
  const rename = sql`update domains set name = 'Renamed elsewhere', status = 'draft'
    where tenant_id = ${OTHER} and domain_id = 'dom_finance'`;
  await database.inspect(rename);
  const here = await taxonomyOf(await service.signInAs(PERSONA.financeOwner));
  expect(here.items[0]).toMatchObject({ name: 'Finance', status: 'approved' });
  const there = await taxonomyOf(await service.signInAs(inOther(PERSONA.financeOwner)));
  expect(there.items[0]).toMatchObject({ id: 'dom_finance', name: 'Renamed elsewhere', status: 'draft' });
});

test('without the capability it is refused', async () => {
  for (const persona of [PERSONA.platformAdmin, PERSONA.approver, PERSONA.nobody]) {
    const caller = await service.signInAs(persona);
    expect((await caller.get('/api/governance/taxonomy')).status, persona).toBe(403);
  }
  expect((await service.anonymous.get('/api/governance/taxonomy')).status).toBe(401);
});
