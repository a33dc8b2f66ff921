import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeScanned } from '../support/assets.ts';
import { startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { decided, payroll, queueOf } from '../support/review.ts';
import { DEV, inOther, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const PATH = '/api/governance/information-types/ift_payroll/suggested-keywords';
const NAMES = ['Lohnjournal März.pdf', 'Lohnjournal April.pdf', 'Lohnjournal Mai.pdf'];

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  service = await startService(database);
  await storeScanned(
    database.db,
    DEV,
    [...NAMES, 'Holiday plan.pdf'].map((name, at) => ({
      assetId: `ast_${at}`,
      name,
      said: at < NAMES.length ? [payroll()] : [],
    })),
  );
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

test('keywords are suggested once owners have confirmed documents that share them', async () => {
  const governance = await service.signInAs(PERSONA.governanceAdmin);
  const none = await governance.get<{ note: string }>(PATH);
  expect(none.body).toMatchObject({ documents: 0, others: 4, keywords: [] });
  expect(none.body.note).toContain('confirmed 0 documents');

  const owner = await service.signInAs(PERSONA.peopleOwner);
  for (const { candidateId, revision } of await queueOf(owner))
    await decided(owner, candidateId, { decision: 'mine', revision });
  expect((await governance.get(PATH)).body).toEqual({
    informationTypeId: 'ift_payroll',
    documents: 3,
    others: 1,
    keywords: [{ keyword: 'lohnjournal', documents: 3, others: 0 }],
    note: null,
  });
});

test('only those who keep the taxonomy of the tenant read them', async () => {
  const owner = await service.signInAs(PERSONA.peopleOwner);
  expect((await owner.get(PATH)).status).toBe(403);
  const governance = await service.signInAs(PERSONA.governanceAdmin);
  const unknown = await governance.get(PATH.replace('ift_payroll', 'ift_unknown'));
  expect(unknown.status).toBe(404);
  const foreign = await service.signInAs(inOther(PERSONA.governanceAdmin));
  expect((await foreign.get(PATH)).body).not.toMatchObject({ documents: 3 });
});
