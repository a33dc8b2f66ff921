import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Answer } from '../../core/analyst/answer-schema.ts';
import type { Plan } from '../../core/analyst/plan.ts';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type List<T> = { items: T[]; truncated: boolean };
type Asset = { assetId: string; labelState: string };
type Saved = { planId: string; name: string; shared: boolean };

let database: TestDatabase;
let service: TestService;
let finance: SignedIn;
let people: SignedIn;
let auditor: SignedIn;
let governance: SignedIn;
let approver: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ max: 10, itemsPerScope: 25 });
  service = await startService(database);
  const admin = await service.signInAs(PERSONA.platformAdmin);
  finance = await service.signInAs(PERSONA.financeOwner);
  people = await service.signInAs(PERSONA.peopleOwner);
  auditor = await service.signInAs(PERSONA.auditor);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  approver = await service.signInAs(PERSONA.approver);
  await admin.post('/api/sources/connect', {});
  const { items } = (await admin.get<List<{ scopeId: string; externalId: string }>>('/api/sources')).body;
  for (const { scopeId, externalId } of items) {
    if (!['site-finance', 'site-people'].includes(externalId)) continue;
    expect((await admin.post('/api/scans', { scopeId, kind: 'inventory' })).status).toBe(200);
    await service.drain();
  }
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const post = (who: SignedIn, body: unknown) => who.post<{ answer: Answer }>('/api/analyst/query', body);
const ask = async (who: SignedIn, question: string) => {
  const { status, body } = await post(who, { question });
  expect(status).toBe(200);
  return body.answer;
};
const listed = async (who: SignedIn, query = '') =>
  (await who.get<List<Asset>>(`/api/assets${query}`)).body.items.map(({ assetId }) => assetId).sort();

test('rows are those of the list of assets, and link to them', async () => {
  const { result, plan, interpretation } = await ask(finance, 'unlabelled files in Finance');
  const rows = result?.rows ?? [];
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.map(({ assetId }) => assetId).sort()).toEqual(await listed(finance, '?labelState=unlabeled'));
  expect(result).toMatchObject({ count: rows.length, truncated: false, groups: null });
  expect(plan?.subject).toBe('assets');
  expect(interpretation.isAiOutput).toBe(false);
  for (const { href } of rows) expect((await finance.get(String(href))).status).toBe(200);
});

test('searches for many words have the time of one statement together', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_500));
  onTestFinished(() => void vi.restoreAllMocks());
  const { result, notes, coverage } = await ask(
    finance,
    'files containing "alpha" and "beta" and "gamma" and "delta"',
  );
  expect(result).toBeNull();
  expect(notes).toEqual([expect.stringContaining('took too long')]);
  expect(coverage.scopes).toBeGreaterThan(0);
});

test('groups add up to the count', async () => {
  const { result } = await ask(finance, 'how many files per label');
  expect(result?.count).toBe((await listed(finance)).length);
  expect(result?.groups?.items.reduce((sum, { count }) => sum + count, 0)).toBe(result?.count);
});

test('findings are those of the list of findings', async () => {
  const { result } = await ask(finance, 'findings');
  const { items } = (await finance.get<List<{ findingId: string }>>('/api/findings')).body;
  expect(items.length).toBeGreaterThan(0);
  expect(result?.rows.map(({ id }) => id).sort()).toEqual(items.map(({ findingId }) => findingId).sort());
});

test('each subject and each group has an answer', async () => {
  for (const question of [
    'pending candidates',
    'candidates by band and type',
    'actions by status',
    'scopes by coverage',
    'findings by owner and month',
    'candidates by label',
    'actions by domain',
    'files with open findings and candidates pending without actions',
    'externally shared files with more than 1 copies',
    'most copied files',
    'total size by domain',
    'findings of high severity on unlabelled files modified since 2020 containing IBANs',
    'scopes not scanned since 2020',
    'files by owner',
    'files by family and risk',
  ]) {
    const { understanding, result } = await ask(finance, question);
    expect([question, understanding.ignored, result !== null]).toEqual([question, [], true]);
  }
});

test('a question that is understood in part is not run', async () => {
  const answer = await ask(finance, 'unlabelled files in Marketing');
  expect(answer.understanding).toMatchObject({ state: 'partly', ignored: ['Marketing'] });
  expect(answer.understanding.understood).toEqual(['label state unlabeled']);
  expect(answer.understanding.suggestions.length).toBeGreaterThan(0);
  expect([answer.plan, answer.result]).toEqual([null, null]);
});

test('names of other domains are not known', async () => {
  expect((await ask(people, 'files in Human Resources')).understanding.state).toBe('whole');
  const foreign = await ask(finance, 'files in Human Resources');
  expect(foreign.understanding).toMatchObject({ state: 'partly', ignored: ['Human', 'Resources'] });
  expect(foreign.scopeNote).toBe('The answer is about what is tied to your domains: Finance.');
});

test('coverage names scopes that were never scanned', async () => {
  await database.inspect(sql`
    update scopes set expected_domain_id = 'dom_finance' where tenant_id = ${DEV} and external_id = 'site-people'`);
  await database.inspect(sql`
    update scopes set coverage_state = null where tenant_id = ${DEV} and external_id = 'site-people'`);
  const { coverage } = await ask(finance, 'how many files');
  expect(coverage.blindSpots.map(({ reason }) => reason)).toEqual(['never_scanned']);
  expect(coverage).toMatchObject({ scopes: 2, isWhole: true, assetsInReach: (await listed(finance)).length });
  expect((await ask(finance, 'scopes never scanned')).result?.count).toBe(1);
});

test('operators in words are literal', async () => {
  const plain = await ask(finance, 'files about "invoice NW"');
  expect(plain.result?.count).toBeGreaterThan(0);
  for (const words of [
    'invoice OR zanzibar',
    'invoice NEAR zanzibar',
    'invoice | zanzibar',
    'invoice NOT zanzibar',
    '!zanzibar',
  ])
    expect((await ask(finance, `files about "${words}"`)).result?.count, words).toBe(0);
});

test('the planner ai is refused where it is not configured', async () => {
  const { status, body } = await post(finance, { question: 'how many files', planner: 'ai' });
  expect([status, JSON.stringify(body).includes('blocked_capability')]).toEqual([422, true]);
});

test('questions have 3 to 2000 characters, and need the capability', async () => {
  for (const question of ['ab', '  a  ', 'x'.repeat(2_001)])
    expect((await post(finance, { question })).status).toBe(400);
  for (const question of ['財務課', 'x'.repeat(2_000)])
    expect((await post(finance, { question })).status).toBe(200);
  expect((await post(approver, { question: 'how many files' })).status).toBe(403);
  expect((await approver.get('/api/analyst/history')).status).toBe(403);
});

test('the history holds the own last 25 questions, the newest first', async () => {
  for (let i = 1; i <= 27; i++) await ask(people, `the ${i} largest files`);
  const { items } = (await people.get<List<{ question: string; state: string }>>('/api/analyst/history'))
    .body;
  expect(items.map(({ question }) => question)).toEqual(
    Array.from({ length: 25 }, (_, i) => `the ${27 - i} largest files`),
  );
  const others = (await finance.get<List<{ question: string }>>('/api/analyst/history')).body.items;
  expect(others.some(({ question }) => question.includes('largest'))).toBe(false);
  const [kept] = await database.inspect<{ n: number }>(sql`
    select count(*)::int as n from analyst_queries where principal_id = ${PERSONA.peopleOwner}`);
  expect(kept?.n).toBe(25);
});

test('the audit trail holds no word of a question', async () => {
  await ask(finance, 'files about "zanzibar"');
  const events = await database.inspect<{ record: string }>(sql`
    select record from audit_events where tenant_id = ${DEV} and category = 'analyst' order by seq desc limit 1`);
  expect(JSON.parse(events[0]?.record ?? '{}').event).toMatchObject({
    type: 'analyst_queried',
    details: { planner: 'deterministic', state: 'whole', subject: 'assets', count: 0 },
  });
  expect(events[0]?.record).not.toContain('zanzibar');
  expect(service.logs.join('\n')).not.toContain('zanzibar');
});

test('the rows and the groups of a plan are exported as CSV', async () => {
  const { plan, result } = await ask(finance, 'unlabelled files in Finance');
  const { text, headers } = await finance.post('/api/analyst/csv', { plan });
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(text.trimEnd().split('\r\n')).toHaveLength((result?.rows.length ?? 0) + 1);
  const groups = await ask(finance, 'files by label');
  const grouped = await finance.post('/api/analyst/csv', { plan: groups.plan });
  expect(grouped.text).toMatch(/^\uFEFF?"label","count","sizeBytes"\r\n/);
});

test('a plan with ids of other domains finds nothing of them', async () => {
  const plan = {
    subject: 'assets',
    where: [{ field: 'domain', any: ['dom_people', 'dom_hr'] }],
    show: 'count',
    groupBy: [],
    order: null,
    limit: 50,
  };
  const saved = await finance.post<Saved>('/api/analyst/plans', { name: 'Foreign', plan });
  const run = await finance.post<{ answer: Answer }>(`/api/analyst/plans/${saved.body.planId}/run`);
  expect(run.body.answer.result).toMatchObject({ count: 0, rows: [] });
  expect(run.body.answer.interpretation.text).toContain('something that you may not see');
});

test('a shared plan is visible to who may see as much, and runs as who opens it', async () => {
  const { plan } = await ask(finance, 'how many files');
  const saved = (await finance.post<Saved>('/api/analyst/plans', { name: 'All files', plan, shared: true }))
    .body;
  expect((await finance.post('/api/analyst/plans', { name: 'ALL files', plan })).status).toBe(409);
  const names = async (who: SignedIn) =>
    (await who.get<List<Saved>>('/api/analyst/plans')).body.items.map(({ name }) => name);
  expect(await names(people)).toEqual([]);
  expect((await people.post(`/api/analyst/plans/${saved.planId}/run`)).status).toBe(404);

  await database.inspect(sql`
    insert into owner_assignments (tenant_id, assignment_id, principal_id, domain_id, kind, created_at)
    values (${DEV}, 'own_analyst', ${PERSONA.peopleOwner}, 'dom_finance', 'delegate', now())`);
  expect(await names(people)).toEqual(['All files']);
  const { body } = await people.post<{ answer: Answer }>(`/api/analyst/plans/${saved.planId}/run`);
  expect(body.answer.result?.count).toBe((await listed(people)).length);
  expect(body.answer.result?.count).toBeGreaterThan((await listed(finance)).length);
  expect((await people.request('DELETE', `/api/analyst/plans/${saved.planId}`)).status).toBe(404);
  expect((await finance.request('DELETE', `/api/analyst/plans/${saved.planId}`)).status).toBe(200);
  expect(await names(people)).toEqual([]);
});

test('auditors and governance admins ask about the whole tenant, within their rights', async () => {
  const all = (await listed(auditor)).length;
  expect(all).toBeGreaterThan((await listed(finance)).length);
  for (const who of [auditor, governance]) {
    const { result, scopeNote } = await ask(who, 'how many files');
    expect([result?.count, scopeNote]).toEqual([all, expect.stringContaining('whole tenant')]);
    const { items } = (await who.get<List<{ question: string }>>('/api/analyst/history')).body;
    expect(items.map(({ question }) => question)).toEqual(['how many files']);
  }
  const findings = (await auditor.get<List<unknown>>('/api/findings')).body.items.length;
  expect((await ask(auditor, 'how many findings')).result?.count).toBe(findings);
  expect((await ask(auditor, 'how many actions')).result?.count).toBe(0);
  expect((await ask(governance, 'how many scopes')).result?.count).toBe(
    (await governance.get<List<unknown>>('/api/sources')).body.items.length,
  );
  const refused = async (who: SignedIn, question: string) => {
    const { status, body } = await who.post<{ message: string }>('/api/analyst/query', { question });
    return [status, body.message];
  };
  const notAllowed = (what: string) => [403, `Your roles do not allow you to read ${what}.`];
  expect(await refused(auditor, 'pending candidates')).toEqual(notAllowed('candidates'));
  expect(await refused(governance, 'open findings')).toEqual(notAllowed('findings'));
  expect(await refused(governance, 'files with open findings')).toEqual(notAllowed('findings'));
  expect(await refused(governance, 'actions by status')).toEqual(notAllowed('actions'));
});

type Language = {
  version: number;
  fields: { field: string; form: string; not?: true; of: string[]; values?: string[]; ids?: string }[];
  names: Record<string, { items: { id: string; name: string }[] }>;
  example: Plan;
};

const run = (who: SignedIn, plan: unknown) =>
  who.post<{ answer: Answer; issues: { path: string }[] }>('/api/analyst/plan', { plan });

test('a typed plan is answered as the question that means it', async () => {
  for (const question of ['unlabelled files in Finance', 'how many files per label', 'the 3 largest files']) {
    const asked = await ask(finance, question);
    const { status, body } = await run(finance, asked.plan);
    // A plan has no words.
    expect([status, body.answer]).toEqual([
      200,
      { ...asked, understanding: { ...asked.understanding, used: [] } },
    ]);
  }
  expect((await run(approver, { subject: 'assets' })).status).toBe(403);
  const wrong = await run(finance, { subject: 'assets', where: [{ field: 'severity', any: ['high'] }] });
  expect([wrong.status, wrong.body.issues.length > 0]).toEqual([400, true]);
  const later = await finance.post('/api/analyst/plan', { version: 2, plan: { subject: 'assets' } });
  expect(later.status).toBe(400);
});

test('the published language has every condition, each of which runs', async () => {
  const { body } = await finance.get<Language>('/api/analyst/plan-schema');
  expect(body.version).toBe(1);
  expect(body.names.domain?.items).toEqual([{ id: 'dom_finance', name: 'Finance' }]);
  expect((await run(finance, body.example)).status).toBe(200);
  for (const { field, form, not, of, values, ids } of body.fields) {
    const value = values?.[0] ?? body.names[ids ?? '']?.items[0]?.id ?? 'x';
    const forms: Record<string, object> = {
      any: { any: [value] },
      window: { from: '2020-01-01T00:00:00Z' },
      range: field === 'has' ? { of: 'findings', where: [] } : { min: 0 },
      text: { text: 'invoice' },
      flag: {},
    };
    const condition = { field, ...forms[form], ...(not && { not }) };
    for (const subject of of) {
      const plan = { subject, where: [condition], show: 'count', groupBy: [], order: null, limit: 10 };
      expect([field, subject, (await run(finance, plan)).status]).toEqual([field, subject, 200]);
    }
  }
  expect(
    (await run(finance, { ...body.example, where: [{ field: 'provenance', any: ['unclassified'] }] })).status,
  ).toBe(403);
  const unclassified = await run(auditor, {
    subject: 'assets',
    where: [{ field: 'provenance', any: ['unclassified'] }],
    show: 'rows',
    groupBy: [],
    order: null,
    limit: 200,
  });
  const rows = unclassified.body.answer.result?.rows ?? [];
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every((row) => row.subject === 'assets' && row.domainName === null)).toBe(true);
});

test('what was understood of a question that was not run is a plan that runs', async () => {
  const { understanding } = await ask(finance, 'unlabelled files in Marketing');
  expect(understanding.kept?.where).toEqual([{ field: 'labelState', any: ['unlabeled'] }]);
  const { status, body } = await run(finance, understanding.kept);
  expect([status, body.answer.result?.count]).toEqual([
    200,
    (await listed(finance, '?labelState=unlabeled')).length,
  ]);
  expect((await ask(finance, 'how many files')).understanding.kept).toBeNull();
});

test('who has access is who the assets that the asker sees are granted to', async () => {
  const { result, notes } = await ask(finance, 'who has access to files in Finance');
  const granted = new Map<string, number>();
  for (const assetId of await listed(finance)) {
    type Detail = { permissions: { grants: List<{ principal: string }> } };
    const { grants } = (await finance.get<Detail>(`/api/assets/${assetId}`)).body.permissions;
    for (const who of new Set(grants.items.map(({ principal }) => principal)))
      granted.set(who, (granted.get(who) ?? 0) + 1);
  }
  const items = result?.groups?.items.filter(({ keys }) => keys[0] !== null) ?? [];
  expect(items.length).toBeGreaterThan(1);
  expect(Object.fromEntries(items.map(({ keys, count }) => [keys[0], count]))).toEqual(
    Object.fromEntries(granted),
  );
  expect(notes).toEqual([expect.stringContaining('do not report every grant')]);
  const [first] = items;
  const where = [{ field: 'grantee', text: first?.keys[0] }];
  const open = { subject: 'assets', where, show: 'count', groupBy: [], order: null, limit: 1 };
  expect((await run(finance, open)).body.answer.result?.count).toBe(first?.count);
});

test('a share is of the rows that meet the conditions', async () => {
  const { result } = await ask(finance, 'what percentage of files is unlabelled');
  expect([result?.partCount, result?.count]).toEqual([
    (await listed(finance, '?labelState=unlabeled')).length,
    (await listed(finance)).length,
  ]);
  const byType = await ask(finance, 'what percentage of files is unlabelled by type');
  const { items = [] } = byType.result?.groups ?? {};
  expect(items.every(({ count, partCount }) => partCount !== null && partCount <= count)).toBe(true);
  expect((await finance.post('/api/analyst/csv', { plan: byType.plan })).text).toMatch(
    /^\uFEFF?"type","count","partCount"\r\n/,
  );
});

test('the own files are those of the domains of who runs the plan', async () => {
  const { plan, result } = await ask(finance, 'how many of my files');
  expect(result?.count).toBe((await listed(finance)).length);
  expect((await run(people, plan)).body.answer.result?.count).toBe((await listed(people)).length);
  expect((await run(auditor, plan)).body.answer.result?.count).toBe(0);
  // Of me and somebody else, whom a delegate's own domains are added to.
  const others = { ...plan, where: [{ field: 'owner', any: ['me', PERSONA.peopleOwner] }] };
  await database.inspect(sql`
    update owner_assignments set kind = 'delegate'
     where tenant_id = ${DEV} and principal_id = ${PERSONA.financeOwner} and domain_id = 'dom_finance'`);
  onTestFinished(async () => {
    await database.inspect(sql`
      update owner_assignments set kind = 'owner'
       where tenant_id = ${DEV} and principal_id = ${PERSONA.financeOwner} and domain_id = 'dom_finance'`);
  });
  expect((await run(finance, others)).body.answer.result?.count).toBe((await listed(finance)).length);
});

test('a group by type has the assets that a condition on the type finds', async () => {
  const language = (await finance.get<Language>('/api/analyst/plan-schema')).body;
  const { result } = await ask(finance, 'how many files per type');
  const items = result?.groups?.items ?? [];
  expect(items.length).toBeGreaterThan(1);
  for (const { keys, count } of items.filter((each) => each.keys[0] !== null)) {
    const id = language.names.type?.items.find(({ name }) => name === keys[0])?.id;
    const of = {
      subject: 'assets',
      where: [{ field: 'type', any: [id] }],
      show: 'count',
      groupBy: [],
      order: null,
      limit: 1,
    };
    expect([keys[0], (await run(finance, of)).body.answer.result?.count]).toEqual([keys[0], count]);
  }
});
