import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Question } from '../../../web/review/answers.ts';
import { answering, send } from '../../../web/review/given.ts';
import { meQuery } from '../../../web/shell/session.ts';

type Reply = { status?: number; body: unknown } | 'no connection';

/** What the service says to answers and to reads of the question, one after the other. */
let decide: Reply[];
let read: Reply[];
let asked: { revision: number }[];
let client: QueryClient;

beforeEach(() => {
  [decide, read, asked] = [[], [], []];
  client = new QueryClient();
  // As the view does.
  new QueryObserver(client, answering).subscribe(() => undefined);
  client.setQueryData(meQuery.queryKey, { principalId: 'amara' } as never);
  vi.stubGlobal('fetch', async (url: string, { method, body }: RequestInit) => {
    if (url === '/api/auth/me') return reply({ body: { principalId: 'amara', csrfToken: 't' } });
    if (method === 'POST') asked.push(JSON.parse(String(body)) as { revision: number });
    return reply((method === 'POST' ? decide : read).shift() ?? 'no connection');
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  client.clear();
});

function reply(of: Reply): Response {
  if (of === 'no connection') throw new TypeError('fetch failed');
  return new Response(JSON.stringify(of.body), {
    status: of.status ?? 200,
    headers: { 'content-type': 'application/json' },
  });
}

const question = {
  candidateId: 'c1',
  assetName: 'Invoice.docx',
  revision: 1,
  updatedAt: '2026-11-01T00:00:00Z',
} as Question;
const taken = (revision: number): Reply => ({ body: { candidateId: 'c1', revision } });
const conflict: Reply = {
  status: 409,
  body: {
    error: 'conflict',
    message: 'The question has changed since revision 1: it now also asks about “Tax papers”. Read it again.',
  },
};
const detail = (decisions: unknown[], status = 'confirmed'): Reply => ({
  body: { ...question, revision: 7, status, decisions: { items: decisions, truncated: false } },
});
const answerOf = (principalId: string, principalName: string) => ({
  decision: 'not_a_match',
  principalId,
  principalName,
  decidedAt: '2026-11-02T00:00:00Z',
});
const state = () => client.getQueryData(answering.queryKey) ?? { given: [], problems: [] };
const standing = () => state().given.map(({ answer, revision }) => [answer.decision, revision]);

test('an answer that replaces one and fails leaves the first', async () => {
  decide = [taken(2), 'no connection'];
  await send(client, [question], { decision: 'mine' });
  await send(client, [{ ...question, revision: 2 }], { decision: 'not_a_match' });
  expect(standing()).toEqual([['mine', 2]]);
  expect(state().problems).toMatchObject([{ title: 'The service cannot be reached.', isConflict: false }]);
});

test('an answer that fails after another has replaced it is no problem', async () => {
  decide = ['no connection', taken(2)];
  await Promise.all([
    send(client, [question], { decision: 'mine' }),
    send(client, [question], { decision: 'not_a_match' }),
  ]);
  expect(standing()).toEqual([['not_a_match', 2]]);
  expect(state().problems).toEqual([]);
  expect(asked.map(({ revision }) => revision)).toEqual([1, 1]);
});

test('a first answer that fails leaves the question open, and is sent again', async () => {
  decide = ['no connection', taken(2)];
  await send(client, [question], { decision: 'mine' });
  expect(standing()).toEqual([]);
  expect(state().problems).toHaveLength(1);
  const [problem] = state().problems;
  if (problem !== undefined) await send(client, [problem.question], problem.answer);
  expect(standing()).toEqual([['mine', 2]]);
  expect(state().problems).toEqual([]);
});

test('a conflict says what has changed, without what is for programs', async () => {
  decide = [conflict];
  read = [detail([], 'pending')];
  await send(client, [question], { decision: 'mine' });
  expect(state().problems).toMatchObject([
    {
      title: 'The question has changed: it now also asks about “Tax papers”.',
      step: 'Your answer was not saved.',
      isConflict: true,
    },
  ]);
});

test('after a conflict the question is gone only if the service says so', async () => {
  decide = [conflict, conflict];
  await send(client, [question], { decision: 'mine' });
  expect(state().problems).toMatchObject([
    {
      title: 'The question has changed: it now also asks about “Tax papers”.',
      step: 'Your answer was not saved. The service cannot be reached.',
    },
  ]);
  read = [{ status: 404, body: { error: 'not_found', message: 'Nothing is here.' } }];
  await send(client, [question], { decision: 'mine' });
  expect(state().problems).toMatchObject([{ title: 'This question is not open any more.' }]);
});

test.each([
  ['a colleague', answerOf('bo', 'Bo'), 'Bo was faster: Not a match.'],
  ['oneself', answerOf('amara', 'Amara'), 'You have answered it already: Not a match.'],
])('after an answer by %s it says so', async (_, latest, title) => {
  decide = [conflict];
  read = [detail([latest])];
  await send(client, [question], { decision: 'mine' });
  expect(state().problems).toMatchObject([{ title }]);
  expect(standing()).toEqual([]);
});

test('a session of somebody else takes no answer', async () => {
  decide = [
    { status: 403, body: { error: 'csrf_token_invalid' } },
    { status: 403, body: { error: 'csrf_token_invalid' } },
  ];
  await send(client, [question], { decision: 'mine' });
  expect(standing()).toEqual([]);
  expect(state().problems).toMatchObject([{ title: 'Somebody else has signed in in another tab.' }]);
});
