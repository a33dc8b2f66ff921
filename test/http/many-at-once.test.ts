import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import { storeScanned } from '../support/assets.ts';
import { type SignedIn, startService, type TestService } from '../support/client.ts';
import type { TestDatabase } from '../support/database.ts';
import { decided, invoices, payroll, reviewIn } from '../support/review.ts';
import { DEV, PERSONA } from '../support/seed.ts';
import { createSeededDatabase } from '../support/seeded-database.ts';

type Apart<T> = { items: { id: string; status: number; error: string | null; result: T | null }[] };
type Finding = { findingId: string; assetId: string; revision: number };

let database: TestDatabase;
let service: TestService;
let review: ReturnType<typeof reviewIn>;
let finance: SignedIn;
let approver: SignedIn;

beforeAll(async () => {
  database = await createSeededDatabase();
  service = await startService(database);
  review = reviewIn(database);
  finance = await service.signInAs(PERSONA.financeOwner);
  approver = await service.signInAs(PERSONA.approver);
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const outcomes = ({ items }: Apart<unknown>) => items.map(({ id, status, error }) => [id, status, error]);
const named = (candidateId: string, revision = 0) => ({ candidateId, revision });

test('one answer to several questions: each in its revision, each apart, each audited', async () => {
  const [first, second, stale] = [await review.ask(), await review.ask(), await review.ask()];
  const foreign = await review.ask(payroll());
  await decided(finance, stale.candidateId, { decision: 'mine' });
  const asked = [first, foreign, stale, { candidateId: 'cnd_none' }, second];
  const body = {
    answer: { decision: 'not_a_match', note: 'a form of theirs' },
    questions: asked.map(({ candidateId }) => named(candidateId)),
  };
  const answered = async () => {
    const { status, body: answer } = await finance.post<Apart<object>>('/api/review/decisions', body);
    expect(status).toBe(200);
    return answer;
  };
  const answer = await answered();
  expect(outcomes(answer)).toEqual([
    [first.candidateId, 200, null],
    [foreign.candidateId, 404, 'not_found'],
    [stale.candidateId, 409, 'conflict'],
    ['cnd_none', 404, 'not_found'],
    [second.candidateId, 200, null],
  ]);
  expect(answer.items[0]?.result).toMatchObject({ status: 'rejected', revision: 1 });
  // Asked again, it changes nothing.
  expect(await answered()).toEqual(answer);
  for (const { assetId, candidateId } of [first, second, stale]) {
    expect(await review.rows('decisions', assetId)).toHaveLength(1);
    expect(await review.audited(candidateId)).toHaveLength(1);
  }
  expect(await review.rows('decisions', foreign.assetId)).toEqual([]);
  const [counted] = await database.inspect<{ n: number }>(sql`
    select sum(count)::int as n from not_found_counts where endpoint = 'review-decide-many'`);
  expect(counted?.n).toBe(4);
});

test('a copy that is not named is not answered', async () => {
  const contentHash = 'ef'.repeat(32);
  const copies = ['ast_named_0', 'ast_named_1', 'ast_unnamed'];
  await storeScanned(
    database.db,
    DEV,
    copies.map((assetId) => ({ assetId, said: [invoices()], contentHash })),
  );
  const ids = await Promise.all(copies.map((assetId) => review.candidateOf(assetId, 'dom_finance')));
  const questions = ids.slice(0, 2).map((candidateId) => named(candidateId));
  const answer = await finance.post('/api/review/decisions', { answer: { decision: 'mine' }, questions });
  expect(answer.status).toBe(200);
  expect(await review.rows('decisions', 'ast_named_1')).toHaveLength(1);
  expect(await review.rows('decisions', 'ast_unnamed')).toEqual([]);
  const [left] = await database.inspect<{ status: string }>(
    sql`select status from candidates where candidate_id = ${ids[2] ?? null}`,
  );
  expect(left?.status).toBe('pending');
});

test('a batch names 1 to 50 things, each once, each with its revision', async () => {
  const answer = { decision: 'mine' };
  const many = (count: number) => Array.from({ length: count }, (_, at) => named(`cnd_${at}`));
  for (const questions of [[], many(51), [...many(1), ...many(1)], [{ candidateId: 'cnd_0' }]])
    expect((await finance.post('/api/review/decisions', { answer, questions })).status).toBe(400);
  const body = { answer, questions: many(50) };
  expect((await finance.post('/api/review/decisions', body)).status).toBe(200);
  expect((await approver.post('/api/review/decisions', body)).status).toBe(403);
  const forged = service.withCookie(finance.cookie, 'wrong');
  const refused = await forged.post('/api/review/decisions', body);
  expect([refused.status, refused.body]).toEqual([403, { error: 'csrf_token_invalid' }]);
});

test('several findings are acknowledged, each in its revision and apart', async () => {
  const assetIds = ['ast_many_0', 'ast_many_1'];
  for (const assetId of assetIds) {
    await storeScanned(database.db, DEV, [{ assetId, said: [invoices()] }]);
    await database.inspect(sql`
      update assets set grants = '[{"principal":"link","principalKind":"anyone","external":true,"role":"read","inherited":null}]'
       where asset_id = ${assetId}`);
    await decided(finance, await review.candidateOf(assetId, 'dom_finance'), { decision: 'mine' });
  }
  const { items } = (await finance.get<{ items: Finding[] }>('/api/findings')).body;
  const [one, other] = items.filter(({ assetId }) => assetIds.includes(assetId));
  const findings = [
    { findingId: one?.findingId, revision: one?.revision },
    { findingId: other?.findingId, revision: 7 },
    { findingId: 'fnd_none', revision: 0 },
  ];
  const body = { findings, note: 'ok' };
  const answer = await finance.post<Apart<Finding>>('/api/findings/acknowledgements', body);
  expect(answer.body.items.map(({ status }) => status)).toEqual([200, 409, 404]);
  expect(answer.body.items[0]?.result).toMatchObject({ status: 'acknowledged', acknowledgeNote: 'ok' });
});

test('several drafts are approved apart, none by the person who asked for it', async () => {
  const { assetId } = await review.ask();
  type Drafted = { actionId: string; revision: number };
  const draft = async (taskTitle: string) => {
    const justification = 'Somebody has to look';
    const body = { kind: 'internal_task', targetAssetId: assetId, justification, taskTitle };
    const { actionId } = (await finance.post<Drafted>('/api/actions', body)).body;
    return (await finance.post<Drafted>(`/api/actions/${actionId}/submit`)).body;
  };
  const [one, other, own] = [await draft('One'), await draft('Other'), await draft('Own')];
  await database.inspect(sql`
    insert into action_transitions (tenant_id, action_id, revision, from_status, trigger, to_status, principal_id, created_at)
    values (${DEV}, ${own.actionId}, 9, 'draft', 'repreviewed', 'draft', ${PERSONA.approver}, now())`);
  const actions = [
    { actionId: one.actionId, revision: one.revision },
    { actionId: other.actionId, revision: other.revision + 1 },
    { actionId: own.actionId, revision: own.revision },
    { actionId: 'act_none', revision: 0 },
  ];
  const path = '/api/actions/approvals';
  expect((await finance.post(path, { decision: 'approve', actions })).status).toBe(403);
  const approve = () => approver.post<Apart<{ status: string }>>(path, { decision: 'approve', actions });
  const { body } = await approve();
  expect(outcomes(body)).toEqual([
    [one.actionId, 200, null],
    [other.actionId, 409, 'conflict'],
    [own.actionId, 409, 'conflict'],
    ['act_none', 404, 'not_found'],
  ]);
  expect(body.items[0]?.result?.status).toBe('approved');
  expect((await approve()).body).toEqual(body);
});
