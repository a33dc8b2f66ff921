import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import { sweepTrends } from '../../core/landscape/sweep-trends.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { decided, invoices, payroll } from '../support/review.ts';
import { DEV, OTHER, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Point = Record<string, number | string | null> & { day: string };
type Trend = { domainId: string | null; domainName: string | null; points: Point[] };

const DAY = 24 * 3_600_000;
const NOON = Date.parse('2026-06-10T12:00:00Z');
const signal = new AbortController().signal;

let database: TestDatabase;
let service: TestService;
let finance: SignedIn;
let admin: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase({ itemsPerScope: 0 });
  service = await startService(database);
  service.clock.advance(NOON - Date.now());
  finance = await service.signInAs(PERSONA.financeOwner);
  admin = await service.signInAs(PERSONA.governanceAdmin);
  await storeScanned(database.db, DEV, [
    { assetId: 'ast_t_1', said: [invoices(0.9)], labelName: 'General' },
    { assetId: 'ast_t_2', said: [invoices(0.6), payroll(0.8)] },
    { assetId: 'ast_t_3', said: [payroll(0.9)] },
    { assetId: 'ast_t_4' },
  ]);
  await storeScanned(database.db, OTHER as TenantId, [{ assetId: 'ast_t_5', said: [invoices(0.9)] }]);
  const everyone = {
    principal: 'x',
    principalKind: 'anyone',
    external: false,
    role: 'read',
    inherited: false,
  };
  await database.inspect(sql`
    update assets set grants = ${sql.json([everyone])}::jsonb, content_state = 'partial' where asset_id = 'ast_t_2'`);
  await database.inspect(sql`update assets set label_state = 'unknown' where asset_id = 'ast_t_3'`);
  await database.inspect(sql`
    update information_types set sensitivity = 'restricted' where tenant_id = ${DEV} and information_type_id = 'ift_payroll'`);
  await database.inspect(sql`
    update information_types set sensitivity = 'internal' where tenant_id = ${DEV} and information_type_id = 'ift_invoices'`);
  await database.inspect(sql`
    insert into findings (tenant_id, finding_id, asset_id, kind, severity, status, notes, policy_version, opened_at, changed_at)
    values (${DEV}, 'fnd_t_2', 'ast_t_2', 'stale_access', 'high', 'open', 'n', '1', now(), now())`);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const measure = (at: number) => sweepTrends(database.db, { clock: () => at, signal });
async function trends(caller: SignedIn, query = ''): Promise<Trend[]> {
  const { status, body } = await caller.get<{ items: Trend[]; truncated: boolean }>(`/api/trends${query}`);
  expect([status, body.truncated]).toEqual([200, false]);
  return body.items;
}
const seriesOf = (items: Trend[], domainId: string | null) =>
  items.find((each) => each.domainId === domainId)?.points ?? [];

test('nothing was measured yet, so there is no series', async () => {
  expect(await trends(admin)).toEqual([]);
});

test('the tenant and each domain have the counts of the day', async () => {
  await measure(NOON - 60_000);
  const items = await trends(admin);
  expect(items[0]).toEqual({
    domainId: null,
    domainName: null,
    points: [
      {
        day: '2026-06-10',
        assets: 4,
        // Payroll is in two assets, of which one has two domains.
        sensitive: 2,
        exposed: 1,
        labeled: 1,
        labelUnknown: 1,
        contentRead: 3,
        openFindings: 1,
        openFindingsBySeverity: { low: 0, medium: 0, high: 1, critical: 0 },
        openQuestions: 4,
        answeredQuestions: 0,
        scopes: expect.any(Number),
        scopesScanned: expect.any(Number),
      },
    ],
  });
  expect(seriesOf(items, 'dom_finance')).toMatchObject([
    {
      assets: 2,
      sensitive: 0,
      exposed: 1,
      labeled: 1,
      labelUnknown: 0,
      contentRead: 1,
      openFindings: 1,
      scopes: null,
    },
  ]);
  expect(seriesOf(items, 'dom_human_resources')).toMatchObject([
    { assets: 2, sensitive: 2, exposed: 1, labeled: 0, labelUnknown: 1, openQuestions: 2, openFindings: 1 },
  ]);
});

test('the last measurement of a day stays, an earlier one does not replace it', async () => {
  const { body } = await finance.get<{ items: { candidateId: string; assetId: string }[] }>(
    '/api/review/queue',
  );
  const first = body.items.find(({ assetId }) => assetId === 'ast_t_1');
  await decided(finance, first?.candidateId ?? '', { decision: 'mine' });
  await measure(NOON);
  await measure(NOON - 30_000);
  const now = await trends(admin);
  expect(seriesOf(now, 'dom_finance')).toMatchObject([{ openQuestions: 1, answeredQuestions: 1 }]);
  expect(seriesOf(now, null)).toMatchObject([{ openQuestions: 3, answeredQuestions: 1 }]);
});

test('a series has the days that were asked for, the oldest first', async () => {
  await measure(NOON - 3 * DAY);
  await measure(NOON - 1 * DAY);
  const days = async (query: string) => seriesOf(await trends(admin, query), null).map(({ day }) => day);
  expect(await days('')).toEqual(['2026-06-07', '2026-06-09', '2026-06-10']);
  expect(await days('?days=2')).toEqual(['2026-06-09', '2026-06-10']);
  expect((await admin.get('/api/trends?days=401')).status).toBe(400);
});

test('an owner receives own domains alone, and nothing of the tenant', async () => {
  const own = await trends(finance);
  expect(own.map(({ domainId }) => domainId)).toEqual(['dom_finance']);
  expect(await trends(finance, '?domainId=dom_human_resources')).toEqual([]);
  expect(await trends(finance, '?domainId=dom_nowhere')).toEqual([]);
  expect((await finance.get('/api/trends?domainId=')).status).toBe(400);
  expect((await trends(admin, '?domainId=dom_finance')).map(({ domainName }) => domainName)).toEqual([
    'Finance',
  ]);
  expect((await service.anonymous.get('/api/trends')).status).toBe(401);
});

test('there are at most 20 series, those of the largest domains', async () => {
  await database.inspect(sql`
    insert into trend_days (tenant_id, domain_id, day, measured_at, assets, sensitive, exposed, labeled, label_unknown,
                            content_read, open_findings, open_findings_by_severity, open_questions,
                            answered_questions)
    select ${DEV}, 'dom_' || n, '2026-06-10', now(), 1000 + n, 0, 0, 0, 0, 0, 0,
           '{"low": 0, "medium": 0, "high": 0, "critical": 0}', 0, 0 from generate_series(1, 25) n`);
  const { body } = await admin.get<{ items: Trend[]; truncated: boolean }>('/api/trends?days=1');
  expect(body.truncated).toBe(true);
  expect(body.items.map(({ domainId }) => domainId)).toEqual([
    null,
    ...Array.from({ length: 19 }, (_, n) => `dom_${25 - n}`),
  ]);
});
