import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../core/analyst/answer-schema.ts';
import type { Plan } from '../../core/analyst/plan.ts';
import { sql } from '../../core/db/sql.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { DEV, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

const NOON = Date.parse('2026-06-10T12:00:00Z');
/** Series by domain (`''` is the tenant): exposed and critical findings by day. */
const SERIES: readonly (readonly [tenant: string, domain: string, day: string, number, number])[] = [
  [DEV, '', '2026-05-31', 40, 6],
  [DEV, '', '2026-06-09', 44, 5],
  [DEV, 'dom_finance', '2026-05-30', 3, 2],
  [DEV, 'dom_finance', '2026-06-10', 5, 1],
  [DEV, 'dom_legal', '2026-05-31', 9, 4],
  [DEV, 'dom_legal', '2026-06-10', 7, 4],
  [OTHER, '', '2026-05-31', 900, 90],
  [OTHER, 'dom_finance', '2026-06-10', 800, 80],
];

let database: TestDatabase;
let service: TestService;
let finance: SignedIn;
let auditor: SignedIn;
let governance: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  service = await startService(database);
  service.clock.advance(NOON - Date.now());
  finance = await service.signInAs(PERSONA.financeOwner);
  auditor = await service.signInAs(PERSONA.auditor);
  governance = await service.signInAs(PERSONA.governanceAdmin);
  for (const [tenant, domain, day, exposed, critical] of SERIES)
    await database.inspect(sql`
      insert into trend_days (tenant_id, domain_id, day, measured_at, assets, sensitive, exposed, labeled, label_unknown,
                              content_read, open_findings, open_findings_by_severity, open_questions, answered_questions)
      values (${tenant}, ${domain}, ${day}, now(), 100, 0, ${exposed}, 30, 10, 0, ${critical + 1},
              ${sql.json({ critical, low: 1 })}::jsonb, 0, 0)`);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const EXPOSED: Plan = {
  subject: 'assets',
  where: [{ field: 'exposure', any: ['anyone', 'external', 'organization', 'broad_group'] }],
  show: 'count',
  groupBy: [],
  order: null,
  limit: 50,
  compare: { earlier: '2026-05-31' },
};
const run = (who: SignedIn, plan: unknown) => who.post<{ answer: Answer }>('/api/analyst/plan', { plan });
const resultOf = async (who: SignedIn, plan: Plan) => {
  const { status, body } = await run(who, plan);
  expect(status).toBe(200);
  return body.answer.result;
};
const FINANCE = {
  domainName: 'Finance',
  earlier: { day: '2026-05-30', count: 3 },
  later: { day: '2026-06-10', count: 5 },
  change: 2,
};

test('an owner gets the series of their domain alone', async () => {
  expect(await resultOf(finance, EXPOSED)).toEqual({
    count: 5,
    sizeBytes: null,
    partCount: null,
    groups: null,
    compared: { items: [FINANCE], truncated: false },
    rows: [],
    truncated: false,
  });
  expect(
    await resultOf(finance, {
      ...EXPOSED,
      where: [...EXPOSED.where, { field: 'domain', any: ['dom_legal'] }],
    }),
  ).toMatchObject({ count: null, compared: { items: [] } });
});

test('a reader of the whole tenant gets that of the tenant, or those of domains', async () => {
  expect((await resultOf(auditor, EXPOSED))?.compared?.items).toEqual([
    {
      domainName: null,
      earlier: { day: '2026-05-31', count: 40 },
      later: { day: '2026-06-09', count: 44 },
      change: 4,
    },
  ]);
  const byDomain = await resultOf(auditor, { ...EXPOSED, groupBy: ['domain'] });
  expect(byDomain?.count).toBeNull();
  expect(byDomain?.compared?.items).toContainEqual(FINANCE);
  expect(byDomain?.compared?.items.find(({ domainName }) => domainName === 'Legal')?.change).toBe(-2);
});

test('a day without a measurement is that of the week before it, or has no count', async () => {
  const { body } = await run(finance, { ...EXPOSED, compare: { earlier: '2026-05-20' } });
  expect(body.answer.result?.compared?.items).toEqual([{ ...FINANCE, earlier: null, change: null }]);
  expect(body.answer.notes).toHaveLength(1);
});

test.each([
  ['with a later day', { earlier: '2026-05-31', later: '2026-06-05' }, FINANCE.earlier],
  ['up to the last day', { earlier: '2026-06-10' }, FINANCE.later],
])('no change is said if nothing was measured since the earlier day, %s', async (_, compare, earlier) => {
  const { body } = await run(finance, { ...EXPOSED, compare });
  expect(body.answer.result?.compared?.items).toEqual([{ ...FINANCE, earlier, later: null, change: null }]);
  expect(body.answer.result?.count).toBeNull();
  expect(body.answer.notes).toHaveLength(1);
});

test.each<[string, Partial<Plan>]>([
  ['of what the series does not hold', { where: [{ field: 'exposure', any: ['anyone'] }] }],
  ['outside a domain', { where: [{ field: 'domain', any: ['dom_legal'], not: true }] }],
  ['of rows', { show: 'rows' }],
  ['with a share', { share: [{ field: 'labelState', any: ['labeled'] }] }],
  ['in groups by type', { groupBy: ['type'] }],
  ['of a day with one before it', { compare: { earlier: '2026-06-01', later: '2026-05-01' } }],
])('a comparison %s is refused', async (_, changed) => {
  expect((await run(auditor, { ...EXPOSED, ...changed })).status).toBe(400);
});

test.each([
  ['how many more exposed files than last month', 5, 2],
  ['how many fewer critical findings than last month', 1, -1],
  ['unlabelled files compared with a week ago', 60, 0],
  ['wie viele mehr freigegebene Dateien als letzten Monat', 5, 2],
  ['combien de plus de fichiers partagés par rapport au mois dernier', 5, 2],
])('answers: %s', async (question, count, change) => {
  const { body } = await finance.post<{ answer: Answer }>('/api/analyst/query', { question });
  const { understanding, result } = body.answer;
  expect([understanding.ignored, result?.count, result?.compared?.items[0]?.change]).toEqual([
    [],
    count,
    change,
  ]);
});

test('who may not read findings is refused their series', async () => {
  const status: Plan['where'] = [{ field: 'findingStatus', any: ['open', 'acknowledged', 'reopened'] }];
  expect((await run(governance, { ...EXPOSED, subject: 'findings', where: status })).status).toBe(403);
  expect((await resultOf(auditor, { ...EXPOSED, subject: 'findings', where: status }))?.count).toBe(6);
});
