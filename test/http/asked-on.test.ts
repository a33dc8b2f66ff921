import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const SITE = 'site-people';
const OWNERS: Readonly<Record<string, string>> = {
  dom_finance: PERSONA.financeOwner,
  dom_human_resources: PERSONA.peopleOwner,
  dom_health_and_safety: PERSONA.peopleOwner,
  dom_legal: PERSONA.legalOwner,
  dom_customers: 'pri_sofia_marchetti',
  dom_information_security: 'pri_yuki_tanaka',
  dom_product: 'pri_rafael_duarte',
};
/** What two domains could govern. */
const TEXT = `Workplace accident report and curriculum vitae

The injured employee slipped beside the press and got first aid from a witness. Two days lost, a corrective measure was
taken at once, and a near miss of the week before is added to this accident report.
Curriculum vitae. Education, work experience and skills of the applicant, who is applying for the vacancy in the
workshop. A letter and certificates are enclosed with the application; the interview takes place in the second week.`;

let database: TestDatabase;
let service: TestService;
let admin: SignedIn;
let assetId: string;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 0 });
  service = await startService(database);
  admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.post('/api/sources/connect', {});
  const scopes = await database.inspect<{ scopeId: string }>(
    sql`select scope_id as "scopeId" from scopes where tenant_id = ${DEV} and external_id = ${SITE}`,
  );
  const scan = async (kind: string) => {
    await admin.post('/api/scans', { scopeId: scopes[0]?.scopeId, kind });
    await service.drain();
  };
  await scan('inventory');
  const { body } = await admin.post<{ fileId: string }>('/api/dev/fixture/mutate', {
    ...{ scopeExternalId: SITE, action: 'add', content: TEXT, name: 'Report.txt' },
  });
  await scan('delta');
  const [asset] = await database.inspect<{ assetId: string }>(sql`
    select asset_id as "assetId" from assets where tenant_id = ${DEV} and external_id = ${body.fileId}`);
  assetId = asset?.assetId ?? '';
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

type Asked = { candidateId: string; domainId: string };
const asked = () =>
  database.inspect<Asked>(sql`
    select candidate_id as "candidateId", domain_id as "domainId" from candidates
     where tenant_id = ${DEV} and asset_id = ${assetId} and status = 'pending' order by confidence desc`);
const nobodys = async (who: string) => {
  const { body } = await (await service.signInAs(who)).get<{ nobodys?: { items: object[] } }>('/api/home');
  return body.nobodys?.items;
};

test('after a refusal the next domain is asked, until the asset is nobody’s so far', async () => {
  const domains: string[] = [];
  for (let [next] = await asked(); next !== undefined; [next] = await asked()) {
    expect(domains).not.toContain(next.domainId);
    domains.push(next.domainId);
    const owner = await service.signInAs(OWNERS[next.domainId] ?? '');
    expect(await nobodys(PERSONA.governanceAdmin)).toEqual([]);
    const path = `/api/review/candidates/${next.candidateId}/decision`;
    expect((await owner.post(path, { decision: 'not_a_match' })).status).toBe(200);
    await service.drain();
  }
  expect(domains.length).toBeGreaterThanOrEqual(2);
  expect(domains.length).toBeLessThanOrEqual(3);
  expect(await nobodys(PERSONA.governanceAdmin)).toMatchObject([
    { assetId, name: 'Report.txt', refusedBy: domains.length },
  ]);
  expect(await nobodys(PERSONA.peopleOwner)).toBeUndefined();

  // The inferences about those who refused stay.
  const inferred = await database.inspect<{ domainId: string }>(sql`
    select distinct domain_id as "domainId" from inferences where tenant_id = ${DEV} and asset_id = ${assetId}`);
  expect(inferred.map(({ domainId }) => domainId)).toEqual(expect.arrayContaining(domains));

  // Whoever thinks better of it takes it.
  const [first] = await database.inspect<Asked>(sql`
    select candidate_id as "candidateId", domain_id as "domainId" from candidates
     where tenant_id = ${DEV} and asset_id = ${assetId} and domain_id = ${domains[0] ?? ''} and status = 'rejected' limit 1`);
  const owner = await service.signInAs(OWNERS[first?.domainId ?? ''] ?? '');
  const path = `/api/review/candidates/${first?.candidateId}/decision`;
  expect((await owner.post(path, { decision: 'mine' })).status).toBe(200);
  await service.drain();
  expect(await nobodys(PERSONA.governanceAdmin)).toEqual([]);
});
