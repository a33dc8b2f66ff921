import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../core/analyst/answer-schema.ts';
import type { Plan } from '../../core/analyst/plan.ts';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Fault = { error: string; message: string };

let database: TestDatabase;
let service: TestService;
let finance: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 15 });
  service = await startService(database);
  const admin = await service.signInAs(PERSONA.platformAdmin);
  finance = await service.signInAs(PERSONA.financeOwner);
  await admin.post('/api/sources/connect', {});
  const { items } = (await admin.get<{ items: { scopeId: string; externalId: string }[] }>('/api/sources'))
    .body;
  const scopeId = items.find(({ externalId }) => externalId === 'site-finance')?.scopeId;
  await admin.post('/api/scans', { scopeId, kind: 'inventory' });
  await service.drain();
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const plan = (where: unknown[], rest: Partial<Plan> = {}) => ({
  ...{ subject: 'assets', show: 'rows', groupBy: [], order: null, limit: 50 },
  ...rest,
  where,
});
const csv = (of: unknown) => finance.post<string>('/api/analyst/csv', { plan: of });
const ask = (question: string) =>
  finance.post<{ answer: Answer } & Fault>('/api/analyst/query', { question });

const FIRST_YEAR = '0000-01-01T00:00:00Z';
const LAST_YEAR = '9999-12-31T23:59:59Z';
const MOST = Number.MAX_SAFE_INTEGER;

test.each([
  ['a null character in an id', plan([{ field: 'domain', any: ['dom\u0000'] }]), 400],
  ['a null character in a format', plan([{ field: 'format', any: ['\u0000'] }]), 400],
  ['a null character in words', plan([{ field: 'words', text: 'a\u0000b' }]), 400],
  ['half of a character in words', plan([{ field: 'words', text: 'a\ud800' }]), 400],
  ['the year 0', plan([{ field: 'modified', from: FIRST_YEAR }]), 200],
  ['the year 9999', plan([{ field: 'modified', to: LAST_YEAR }]), 200],
  [
    'the year 0, negated',
    plan([{ field: 'scanned', from: FIRST_YEAR, not: true }], { subject: 'scopes' }),
    200,
  ],
  ['the largest number of assets', plan([{ field: 'assetCount', max: MOST }], { subject: 'scopes' }), 200],
  ['the largest number of copies', plan([{ field: 'copies', min: MOST }]), 200],
  ['the largest size', plan([{ field: 'size', min: MOST }]), 200],
  [
    'the largest number of actions',
    plan([{ field: 'has', of: 'actions', where: [], min: MOST, max: MOST }]),
    200,
  ],
  ['the largest number of findings', plan([{ field: 'has', of: 'findings', where: [], max: MOST }]), 200],
  ['bounds in the wrong order', plan([{ field: 'size', min: 2, max: 1 }]), 200],
  ['a window of no length', plan([{ field: 'modified', from: LAST_YEAR, to: FIRST_YEAR }]), 200],
])('a plan with %s is answered', async (_, of, status) => {
  expect((await csv(of)).status).toBe(status);
  expect((await finance.post('/api/analyst/plans', { name: `Plan ${_}`, plan: of })).status).toBe(status);
});

test.each([
  ['a null character', 'files about \u0000', 400],
  ['half of a character', 'files about \ud800', 400],
  ['10,000 characters', 'files '.repeat(1_667), 400],
  ['2,000 emoji', '🙂'.repeat(1_000), 200],
  ['2,000 combining marks', `fi${'\u0301'.repeat(1_990)}les`, 200],
  ['text from right to left', '\u202eملفات بدون تصنيف\u202c', 200],
  ['operators of a search', 'files about "a AND NEAR(b, c) OR NOT d* ^e -f :g"', 200],
  ['only quotes', '"""""""', 200],
])('a question of %s is answered', async (_, question, status) => {
  const { body, ...answer } = await ask(question);
  expect([answer.status, body.error]).toEqual([status, status === 200 ? undefined : 'validation_failed']);
});

test('a control character in the name of a plan is refused', async () => {
  for (const name of ['a\u0000b', 'a\ud800'])
    expect((await finance.post('/api/analyst/plans', { name, plan: plan([]) })).status).toBe(400);
});

test('no cell of the CSV begins a formula', async () => {
  const begins = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', ' =1'];
  await database.inspect(sql`
    update assets a set name = n.name from (
      select asset_id, (${begins}::text[])[1 + (row_number() over (order by asset_id))::int % ${begins.length}] || asset_id as name
        from assets where tenant_id = ${DEV}) n
     where a.tenant_id = ${DEV} and a.asset_id = n.asset_id`);
  const { text } = await csv(plan([], { limit: 200 }));
  const names = [...text.matchAll(/"((?:'|=|\+|-|@|\t|\r|＝| )[^"]*ast_[^"]*)"/g)].map(([, cell]) => cell);
  expect(names.length).toBeGreaterThan(begins.length);
  expect(names.filter((cell) => !/^\s*'/.test(cell ?? ''))).toEqual([]);
});

test('the CSV of a count is the count, and of no rows their columns', async () => {
  const lines = async (of: unknown) => (await csv(of)).text.replace('\ufeff', '').trim().split('\r\n');
  const { result } = (await ask('how many files')).body.answer;
  expect(await lines(plan([], { show: 'count' }))).toEqual(['"count"', String(result?.count)]);
  const total = (await ask('total size of files')).body.answer.result;
  expect(await lines(plan([], { show: 'size' }))).toEqual([
    '"count","sizeBytes"',
    `${total?.count},${total?.sizeBytes}`,
  ]);
  const [header] = await lines(plan([], { limit: 1 }));
  expect(await lines(plan([{ field: 'size', min: MOST }]))).toEqual([header]);
});

test('an id of a plan that is not there is not named', async () => {
  const [type] = await database.inspect<{ id: string; name: string }>(sql`
    select information_type_id as id, name from information_types
     where tenant_id = ${DEV} and domain_id = 'dom_finance' order by 1 limit 1`);
  const saved = await finance.post<{ planId: string }>('/api/analyst/plans', {
    name: 'Of a type',
    plan: plan([{ field: 'type', any: [type?.id ?? '', 'ift_that_never_was'] }]),
  });
  const run = () => finance.post<{ answer: Answer }>(`/api/analyst/plans/${saved.body.planId}/run`, {});
  expect((await run()).body.answer.interpretation.text).toContain(type?.name);
  expect((await run()).body.answer.interpretation.text).not.toContain('never was');
  expect((await run()).body.answer.interpretation.text).toContain('something that you may not see');
});

test('a plan is not shown to people who see less, nor its words', async () => {
  const canary = 'Operation Heron';
  const { planId } = (
    await finance.post<{ planId: string }>('/api/analyst/plans', {
      name: canary,
      plan: plan([{ field: 'words', text: canary }]),
      shared: true,
    })
  ).body;
  const people = await service.signInAs(PERSONA.peopleOwner);
  expect(JSON.stringify((await people.get('/api/analyst/plans')).body)).not.toContain(canary);
  for (const response of [
    await people.post<Fault>(`/api/analyst/plans/${planId}/run`, {}),
    await people.request<Fault>('DELETE', `/api/analyst/plans/${planId}`),
  ]) {
    expect(response.status).toBe(404);
    expect(JSON.stringify(response.body)).not.toContain(canary);
  }
  expect(JSON.stringify((await people.get('/api/analyst/history')).body)).not.toContain(canary);
});
