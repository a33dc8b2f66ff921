import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../core/analyst/answer-schema.ts';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';
import { PARAPHRASES } from '../unit/analyst/paraphrases.ts';
import { SHAPES } from '../unit/analyst/shapes.ts';

/** In the suite. `PROPERTY_RUNS=5000` asks more. */
const QUESTIONS = 450;
const OWNERS = [PERSONA.financeOwner, PERSONA.peopleOwner, PERSONA.legalOwner];

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 8 });
  service = await startService(database);
  const admin = await service.signInAs(PERSONA.platformAdmin);
  await admin.post('/api/sources/connect', {});
  const { items } = (await admin.get<{ items: { scopeId: string }[] }>('/api/sources')).body;
  for (const { scopeId } of items) await admin.post('/api/scans', { scopeId, kind: 'inventory' });
  await service.drain();
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const written = [
  ...Object.values(SHAPES).map(({ question }) => question),
  ...PARAPHRASES.map(([, question]) => question),
];
const anyWord = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...written.flatMap((question) => question.split(' '))) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'AND',
      'OR',
      'NEAR',
      '"',
      "'",
      '%',
      '_',
      '\\',
      '--',
      ';',
      '$1',
      '財務',
      'ملفات',
      'файлы',
      '🙂',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
);
const question = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom(...written) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(
          fc.constantFrom(...written),
          fc.constantFrom('and', 'with', 'by', 'without'),
          fc.constantFrom(...written),
        )
        .map((parts) => parts.join(' ')),
    },
    {
      weight: 4,
      arbitrary: fc.array(anyWord, { minLength: 1, maxLength: 25 }).map((words) => words.join(' ')),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 3, maxLength: 300 }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...written), fc.string({ unit: 'grapheme', maxLength: 60 }))
        .map(([before, text]) => `${before} about "${text}"`),
    },
  )
  .map((text) => text.slice(0, 2_000));

/** Ids and names of assets that a person may not see. */
async function foreignTo(domains: readonly string[]): Promise<Set<string>> {
  const rows = await database.inspect<{ id: string }>(sql`
    select a.asset_id as id from assets a
     where a.tenant_id <> ${DEV} or not exists (
       select from candidates k
        where k.tenant_id = a.tenant_id and k.asset_id = a.asset_id and k.domain_id = any(${[...domains]}::text[])
          and k.status in ('pending', 'deferred', 'confirmed'))`);
  return new Set(rows.map(({ id }) => id));
}

test('no question of any person fails or shows a foreign row', async () => {
  const people = await Promise.all(
    Object.values(PERSONA).map(async (principalId) => {
      const who = await service.signInAs(principalId);
      const owned = await database.inspect<{ id: string }>(sql`
        select domain_id as id from owner_assignments where tenant_id = ${DEV} and principal_id = ${principalId}`);
      return { who, principalId, foreign: await foreignTo(owned.map(({ id }) => id)) };
    }),
  );
  const owners = people.filter(({ principalId }) => (OWNERS as string[]).includes(principalId));
  const others = people.filter(({ principalId }) => !(OWNERS as string[]).includes(principalId));
  let whole = 0;
  const asked = async ({ who, foreign }: { who: SignedIn; foreign: Set<string> }, text: string) => {
    const { status, body } = await who.post<{ answer: Answer }>('/api/analyst/query', { question: text });
    if (status === 400 && [...text.trim()].length < 3) return;
    expect([text, status]).toEqual([text, 200]);
    const { result, plan } = body.answer;
    if (plan !== null) whole++;
    for (const { assetId } of result?.rows ?? []) expect(foreign.has(assetId ?? ''), text).toBe(false);
  };
  const numRuns = Math.ceil(propertyRuns(QUESTIONS) / owners.length);
  await fc.assert(
    fc.asyncProperty(question, async (text) => {
      await Promise.all(owners.map((owner) => asked(owner, text)));
    }),
    { numRuns },
  );
  // The grammar is reached, not only refused.
  expect(whole).toBeGreaterThan(numRuns / 4);
  const askers: string[] = [PERSONA.auditor, PERSONA.governanceAdmin, PERSONA.secondGovernanceAdmin];
  for (const { who, principalId } of others)
    expect((await who.post('/api/analyst/query', { question: 'how many files' })).status, principalId).toBe(
      askers.includes(principalId) ? 200 : 403,
    );
});
