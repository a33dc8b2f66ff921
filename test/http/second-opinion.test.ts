import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { answerJson, type ModelService, startModelService } from '../support/model-service.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Request = { input?: string[] };
type Reason = { name: string; explanation: string; inWords: string; direction: string; evidence: object };

let database: TestDatabase;
let service: TestService;
let model: ModelService<Request>;
let platform: SignedIn;
let governance: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 20 });
  service = await startService(database, { SVC_AI_SECOND_OPINION: 'true' });
  model = await startModelService((response, { path, body }) => {
    const data = body.input?.map((text, index) => ({ index, embedding: [text.length, 1] }));
    const choices = [{ finish_reason: 'stop', message: { content: '{"answer":"none"}' } }];
    answerJson(response, 200, path.endsWith('/embeddings') ? { data } : { choices });
  });
  platform = await service.signInAs(PERSONA.platformAdmin);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  await platform.post('/api/sources/connect', {});
});
afterAll(async () => {
  await service.close();
  await model.close();
  await database.drop();
});

async function scanFinance(): Promise<void> {
  const { body } = await platform.get<{ items: { scopeId: string; externalId: string }[] }>('/api/sources');
  const scopeId = body.items.find(({ externalId }) => externalId === 'site-finance')?.scopeId;
  expect((await platform.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
  await service.drain();
}
/** The second opinions among the reasons of the questions that an owner may read. */
async function shown(): Promise<Reason[]> {
  const rows = await database.inspect<{ id: string }>(sql`
    select candidate_id as id from candidates where tenant_id = ${DEV} and status = 'pending' order by 1`);
  const owner = await service.signInAs(PERSONA.financeOwner);
  const details = await Promise.all(
    rows.map(({ id }) =>
      owner.get<{ inference?: { contributions: Reason[] } | null }>(`/api/review/candidates/${id}`),
    ),
  );
  return details
    .flatMap(({ body }) => body.inference?.contributions ?? [])
    .filter(({ name }) => name === 'second_opinion');
}

test('a question shows the opinion of the mock, and that it is one', async () => {
  await scanFinance();
  const reasons = await shown();
  expect(reasons.length).toBeGreaterThan(0);
  for (const { evidence } of reasons)
    expect(evidence).toMatchObject({ provider: 'mock', model: 'lexical-opinion-v1' });
  expect(model.requests).toEqual([]);
});

test('a question shows the opinion of a live provider, and what it was told', async () => {
  await service.reconfigure({
    ...{ SVC_AI_ENDPOINT: model.endpoint, SVC_AI_DEPLOYMENT: 'embedder', SVC_AI_CHAT_DEPLOYMENT: 'thinker' },
  });
  service.clock.advance(60_000);
  await scanFinance();
  const reasons = (await shown()).filter(
    ({ evidence }) => 'provider' in evidence && evidence.provider === 'openai',
  );
  expect(reasons.length).toBeGreaterThan(0);
  for (const reason of reasons)
    expect(reason).toMatchObject({
      explanation: 'What the AI provider said of redacted excerpts, asked which type fits',
      ...{ direction: 'against', inWords: expect.stringMatching(/against it$/) },
      evidence: { answer: 'none', model: 'thinker' },
    });
  const { body } = await governance.get<{ mode: string; items: { task: string; model: string }[] }>(
    '/api/governance/ai-usage',
  );
  expect(body.mode).toBe('live');
  expect(body.items).toContainEqual(expect.objectContaining({ task: 'second_opinion', model: 'thinker' }));
});
