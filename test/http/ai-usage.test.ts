import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { createTaxonomyCache } from '../../core/scan/taxonomy-cache.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { answerJson, type ModelService, startModelService } from '../support/model-service.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Fault = { error: string; message: string };
type Figures = { calls: number; inputTokens: number; outputTokens: number; estimatedCost: number | null };
type Report = {
  mode: string;
  items: (Figures & { task: string; model: string })[];
  totals: { tasks: (Figures & { task: string })[]; month: Figures };
  spending: { cap: number | null; reserved: number };
};

const PATH = '/api/governance/ai-usage';
const GENERATE = '/api/onboarding/generate-taxonomy';
const CANARY = 'canary of the profile';
/** How long a taxonomy is fresh, and a little more. */
const TAXONOMY_FRESH_MS = 6_000;

let database: TestDatabase;
let service: TestService;
let model: ModelService<{ input?: string[] }>;
let platform: SignedIn;
let governance: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 3 });
  service = await startService(database);
  model = await startModelService((response, { path, body }) =>
    answerJson(
      response,
      200,
      path.endsWith('/embeddings')
        ? {
            data: body.input?.map((text, index) => ({ index, embedding: [text.length, 1] })),
            usage: { prompt_tokens: 10 },
          }
        : {
            choices: [{ finish_reason: 'stop', message: { content: '{"domains":[]}' } }],
            usage: { prompt_tokens: 2_000, completion_tokens: 100 },
          },
    ),
  );
  platform = await service.signInAs(PERSONA.platformAdmin);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  await governance.post('/api/onboarding/profile', {
    ...{ name: 'Example', industries: ['Banking'], geographies: ['Germany'], description: CANARY },
  });
  await platform.post('/api/sources/connect', {});
});
afterAll(async () => {
  await service.close();
  await model.close();
  await database.drop();
});
beforeEach(() => database.inspect(sql`delete from ai_usage`));

const live = (more: Record<string, string> = {}) =>
  service.reconfigure({
    ...{ SVC_AI_ENDPOINT: model.endpoint, SVC_AI_DEPLOYMENT: 'embedder', SVC_AI_CHAT_DEPLOYMENT: 'writer' },
    ...{ SVC_AI_KEY_REF: 'TEST_AI_KEY', TEST_AI_KEY: 'key', ...more },
  });
const PRICES = JSON.stringify({ embedder: { input: 1 }, writer: { input: 10, output: 100 } });
const capped = (cap: string) => live({ SVC_AI_PRICES: PRICES, SVC_AI_MONTHLY_CAP: cap });
const report = async () => (await governance.get<Report>(PATH)).body;

test('who runs, governs or audits the service reads it, and nobody else', async () => {
  for (const who of [PERSONA.platformAdmin, PERSONA.governanceAdmin, PERSONA.auditor])
    expect((await (await service.signInAs(who)).get(PATH)).status, who).toBe(200);
  for (const who of [PERSONA.financeOwner, PERSONA.approver])
    expect((await (await service.signInAs(who)).get(PATH)).status, who).toBe(403);
});

test.each(['2026-13', '2026-3', '1999-01', 'now', '2026-03-01'])('month=%s is refused', async (month) => {
  const { status, body } = await governance.get<Fault>(`${PATH}?month=${month}`);
  expect([status, body.error]).toEqual([400, 'validation_failed']);
});

test('the mock asks no model and counts nothing', async () => {
  await service.reconfigure({});
  expect((await governance.post(GENERATE)).status).toBe(200);
  expect(await report()).toMatchObject({ mode: 'mock', items: [], totals: { month: { calls: 0 } } });
});

test('a draft is counted with the tokens that the service reports', async () => {
  await live({ SVC_AI_PRICES: PRICES });
  expect((await governance.post(GENERATE)).status).toBe(200);
  expect((await report()).items).toMatchObject([
    {
      ...{ task: 'taxonomy_draft', model: 'writer', calls: 1, inputTokens: 2_000, outputTokens: 100 },
      ...{ estimatedCost: 0.03, callsWithoutCost: 0, callsWithEstimatedTokens: 0 },
    },
  ]);
});

test('without a price the cost is unknown, and not zero', async () => {
  await live();
  expect((await governance.post(GENERATE)).status).toBe(200);
  expect((await report()).items).toMatchObject([{ calls: 1, callsWithoutCost: 1, estimatedCost: null }]);
});

test('a draft beyond the cap is refused before anything is sent', async () => {
  await capped('0.1');
  const sent = model.requests.length;
  const { status, body } = await governance.post<Fault>(GENERATE);
  expect([status, body.error]).toEqual([422, 'blocked_capability']);
  expect(body.message).toContain('SVC_AI_MONTHLY_CAP');
  expect(model.requests).toHaveLength(sent);
  expect(await report()).toMatchObject({ items: [], spending: { cap: 0.1, reserved: 0 } });
});

test('a plan of a question is counted, and refused at the cap before anything is sent', async () => {
  const owner = await service.signInAs(PERSONA.financeOwner);
  const ask = () =>
    owner.post<Fault>('/api/analyst/query', { question: 'How many assets are there?', planner: 'ai' });
  await live({ SVC_AI_PRICES: PRICES });
  // The answer is of another shape and has been paid all the same.
  expect((await ask()).body.message).toContain('ai_malformed');
  expect((await report()).items).toMatchObject([{ task: 'plan', model: 'writer', estimatedCost: 0.03 }]);
  await capped('0.1');
  const sent = model.requests.length;
  const { status, body } = await ask();
  expect([status, body.error]).toEqual([422, 'blocked_capability']);
  expect(body.message).toContain('SVC_AI_MONTHLY_CAP');
  expect(model.requests).toHaveLength(sent);
});

test('what is sent stands in no log', () => {
  expect(JSON.stringify(model.requests)).toContain(CANARY);
  expect(service.logs.join('')).not.toContain(CANARY);
});

type Outcome = { stage: string; outcome: string; count: number };

const scan = async (): Promise<Record<string, number>> => {
  service.clock.advance(TAXONOMY_FRESH_MS);
  const { body: sources } = await platform.get<{ items: { scopeId: string; externalId: string }[] }>(
    '/api/sources',
  );
  const scopeId = sources.items.find(({ externalId }) => externalId === 'site-finance')?.scopeId;
  const { body } = await platform.post<{ campaignId: string }>('/api/scans', { scopeId, kind: 'inventory' });
  await service.drain();
  const { body: campaign } = await platform.get<{
    status: string;
    stageOutcomes: Outcome[];
    deadLetters: object[];
  }>(`/api/scans/${body.campaignId}`);
  expect(campaign).toMatchObject({ status: 'completed', deadLetters: [] });
  return Object.fromEntries(
    campaign.stageOutcomes
      .filter(({ stage }) => stage === 'features' || stage === 'inference')
      .map(({ stage, outcome, count }) => [`${stage}:${outcome}`, count]),
  );
};
const embedded = () =>
  database.inspect<{ embedded: boolean; count: number }>(sql`
    select features ->> 'embedding' is not null as embedded, count(*)::int as count
      from asset_features where tenant_id = ${DEV} group by 1 order by 1`);

test('a scan goes on without embeddings at the cap, and embeds once there is room', async () => {
  await capped('0');
  const sent = model.requests.length;
  const assets = (await scan())['features:skipped'] ?? 0;
  expect(assets).toBeGreaterThan(0);
  expect(model.requests).toHaveLength(sent);
  expect(await embedded()).toEqual([{ embedded: false, count: assets }]);
  // Nothing has changed, so nothing is read again.
  expect(await scan()).toEqual({ 'features:cache_hit': assets, 'inference:cache_hit': assets });

  await capped('5');
  expect(await scan()).toEqual({ 'features:computed': assets, 'inference:computed': assets });
  expect(await embedded()).toEqual([{ embedded: true, count: assets }]);
  const { totals } = await report();
  // One more call embeds the taxonomy.
  expect(totals.tasks).toMatchObject([
    { task: 'embedding', calls: assets + 1, inputTokens: 10 * (assets + 1) },
  ]);

  // What has an embedding keeps it.
  await capped('0');
  expect(await scan()).toMatchObject({ 'features:cache_hit': assets });
  expect(await embedded()).toEqual([{ embedded: true, count: assets }]);
});

test.each([
  ['at the cap', 'SVC_AI_MONTHLY_CAP', () => capped('0')],
  [
    'while the provider does not answer',
    'SVC_AI_ENDPOINT',
    () => live({ SVC_AI_ENDPOINT: 'http://127.0.0.1:9/v1' }),
  ],
])('a rescore is refused %s', async (_, told, configure) => {
  await configure();
  const refused = await governance.post<Fault>('/api/models/rescore', {});
  expect([refused.status, refused.body.error]).toEqual([422, 'blocked_capability']);
  expect(refused.body.message).toContain(told);
  await capped('5');
  expect((await governance.post('/api/models/rescore', {})).status).toBe(200);
  await service.drain();
});

test('a promotion is refused at the cap, and a rollback is not', async () => {
  const approver = await service.signInAs(PERSONA.secondGovernanceAdmin);
  await capped('5');
  const proposed = await governance.post<{ releaseId: string }>('/api/models/releases/propose', {
    configPatch: { candidateThreshold: 0.41 },
  });
  const step = (who: SignedIn, name: string) =>
    who.post<Fault>(`/api/models/releases/${proposed.body.releaseId}/${name}`, {});
  expect((await step(governance, 'evaluate')).status).toBe(200);
  expect((await step(approver, 'approve')).status).toBe(200);
  await capped('0');
  const refused = await step(approver, 'promote');
  expect([refused.status, refused.body.error]).toEqual([422, 'blocked_capability']);
  await capped('5');
  expect((await step(approver, 'promote')).status).toBe(200);
  await service.drain();
  await capped('0');
  expect((await step(approver, 'rollback')).status).toBe(200);
  await service.drain();
});

test('a process that starts at the cap embeds when the month turns', async () => {
  await capped('5');
  const { config, db, ai } = service.runtime();
  let now = service.clock.now();
  const lookup = createTaxonomyCache({ config, db, clock: () => now, provider: ai });
  const embeddedBy = async () => (await lookup(DEV, AbortSignal.timeout(10_000))).index.embeddingModel?.model;
  await database.inspect(sql`
    insert into ai_usage (tenant_id, day, task, model, calls, estimated_calls, unpriced_calls, input_tokens, output_tokens, cost)
    values (${DEV}, ${new Date(now).toISOString().slice(0, 10)}, 'plan', 'writer', 1, 0, 0, 1, 1, 5)`);
  expect(await embeddedBy()).toBeUndefined();
  now += 32 * 86_400_000;
  expect(await embeddedBy()).toBe('embedder');
});

test('under metadata_only no text of an asset is sent', async () => {
  await live();
  await platform.patch('/api/onboarding/settings', { dataHandlingProfile: 'metadata_only' });
  const sent = model.requests.length;
  const assets = (await scan())['features:computed'] ?? 0;
  expect(assets).toBeGreaterThan(0);
  expect(await embedded()).toEqual([{ embedded: false, count: assets }]);
  // The taxonomy is embedded, and no asset.
  expect(model.requests.length - sent).toBeLessThanOrEqual(1);
});
