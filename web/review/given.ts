import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import {
  getReviewGetCandidateQueryKey,
  getReviewListQueueQueryKey,
  reviewDecide,
  reviewDecideMany,
  reviewGetCandidate,
} from '../../client/generated/review/review.ts';
import type { CandidateDetail, ReviewDecideAnswer } from '../../client/generated/service.schemas.ts';
import { isRefusal } from '../../client/refusal.ts';
import { refusalOf } from '../design/refusal.ts';
import { sessionEnded } from '../shell/session.ts';
import { type Answer, labelOf, type Question } from './answers.ts';

/** An answer of this visit. The page shows it as given before the service has said so. */
export type Given = {
  question: Question;
  answer: Answer;
  state: 'sending' | 'saved';
  /** Of the question: the one that was read, and after the answer the one that it made. */
  revision: number;
};

/** An answer that was not taken: its question waits again. */
export type Problem = {
  question: Question;
  answer: Answer;
  /** What happened, with the name of who was faster. */
  title: string;
  step: string | null;
  /** Whether the question has changed, rather than the way to the service failed. */
  isConflict: boolean;
};

type Answering = { given: readonly Given[]; problems: readonly Problem[] };

const NOTHING: Answering = { given: [], problems: [] };

/** It is kept with what was read from the service, so that it lasts between views and goes at sign-out. */
const answering = queryOptions<Answering>({
  queryKey: ['answering'],
  queryFn: () => NOTHING,
  initialData: NOTHING,
  enabled: false,
  staleTime: Infinity,
  gcTime: Infinity,
});

const change = (client: QueryClient, by: (before: Answering) => Answering) =>
  client.setQueryData(answering.queryKey, (before = NOTHING) => by(before));

const idOf = ({ question }: { question: Question }) => question.candidateId;
const without = <T extends { question: Question }>(items: readonly T[], ids: ReadonlySet<string>) =>
  items.filter((each) => !ids.has(idOf(each)));

export function useAnswering() {
  const client = useQueryClient();
  const { data } = useQuery(answering);
  const answer = useCallback(
    (questions: readonly Question[], given: Answer) => send(client, questions, given),
    [client],
  );
  const dismiss = useCallback(
    (candidateId: string) =>
      change(client, (before) => ({
        ...before,
        problems: without(before.problems, new Set([candidateId])),
      })),
    [client],
  );
  return { ...data, answer, dismiss };
}

/** Shows the answer as given, sends it, and takes it back with the reason if it was not taken. */
async function send(client: QueryClient, questions: readonly Question[], answer: Answer): Promise<void> {
  const ids = new Set(questions.map(({ candidateId }) => candidateId));
  change(client, ({ given, problems }) => ({
    given: [
      ...without(given, ids),
      ...questions.map((question) => ({
        question,
        answer,
        state: 'sending' as const,
        revision: question.revision,
      })),
    ],
    problems: without(problems, ids),
  }));
  const [first] = questions;
  if (questions.length === 1 && first !== undefined) await sendOne(client, first, answer);
  else await sendTogether(client, questions, answer);
  // The answer has moved other questions. While another is on its way, they move again.
  if (onTheirWay.size > 0) return;
  await client.invalidateQueries({ queryKey: getReviewListQueueQueryKey().slice(0, 1) });
}

/** Answers on their way, by question. Each resolves with the revision that it made, or null. */
const onTheirWay = new Map<string, Promise<number | null>>();

/** An answer that replaces one which is on its way follows it, and is about the revision that it makes. */
async function sendOne(client: QueryClient, question: Question, answer: Answer): Promise<void> {
  const { candidateId } = question;
  const before = onTheirWay.get(candidateId);
  const sending = (async () => {
    const revision = (await before) ?? question.revision;
    try {
      const result = await reviewDecide(candidateId, { ...answer, revision });
      saved(client, result);
      return result.revision;
    } catch (error) {
      await refused(client, question, answer, error);
      return null;
    }
  })();
  onTheirWay.set(candidateId, sending);
  await sending;
  if (onTheirWay.get(candidateId) === sending) onTheirWay.delete(candidateId);
}

async function sendTogether(client: QueryClient, questions: readonly Question[], answer: Answer) {
  try {
    const { items } = await reviewDecideMany({
      answer,
      questions: questions.map(({ candidateId, revision }) => ({ candidateId, revision })),
    });
    for (const { id, result, message, error } of items) {
      const question = questions.find(({ candidateId }) => candidateId === id);
      if (result !== null) saved(client, result);
      else if (question !== undefined) {
        await conflicted(client, question, answer, message ?? 'It was refused.', error === 'conflict');
      }
    }
  } catch (error) {
    for (const question of questions) await refused(client, question, answer, error);
  }
}

function saved(client: QueryClient, { candidateId, revision }: ReviewDecideAnswer) {
  change(client, (before) => ({
    ...before,
    given: before.given.map((each) =>
      idOf(each) === candidateId ? { ...each, state: 'saved', revision } : each,
    ),
  }));
  // Excerpts are left alone: reading them again would be recorded again.
  void client.invalidateQueries({
    queryKey: getReviewGetCandidateQueryKey(candidateId, { excerpts: 'none' }),
    exact: true,
  });
}

async function refused(client: QueryClient, question: Question, answer: Answer, error: unknown) {
  if (isRefusal(error, 'authentication_required')) sessionEnded.set(true);
  if (isRefusal(error, 'conflict') || isRefusal(error, 'not_found')) {
    await conflicted(client, question, answer, error.message, true);
    return;
  }
  takeBack(client, { question, answer, ...refusalOf(error), isConflict: false });
}

/** Somebody was faster, or the question has changed: says which, and reads the question as it is now. */
async function conflicted(
  client: QueryClient,
  question: Question,
  answer: Answer,
  message: string,
  isConflict: boolean,
) {
  const { candidateId } = question;
  const now = await reviewGetCandidate(candidateId, { excerpts: 'none' }).catch(() => null);
  if (now !== null)
    client.setQueryData(getReviewGetCandidateQueryKey(candidateId, { excerpts: 'none' }), now);
  const faster = now === null ? null : fasterOne(question, now);
  takeBack(client, {
    question: now ?? question,
    answer,
    title: now === null ? 'This question is not open any more.' : (faster ?? message),
    step:
      faster !== null && now !== null && now.status !== 'pending'
        ? 'Your answer was not saved. You can answer otherwise, which revises theirs.'
        : 'Your answer was not saved.',
    isConflict,
  });
}

/** Who has answered since the question was read. */
function fasterOne(read: Question, { decisions }: CandidateDetail): string | null {
  const [latest] = decisions.items.toSorted((a, b) => b.decidedAt.localeCompare(a.decidedAt));
  if (latest === undefined || latest.decidedAt <= read.updatedAt) return null;
  return `${latest.principalName ?? 'A colleague'} was faster: ${labelOf(latest.decision)}.`;
}

function takeBack(client: QueryClient, problem: Problem) {
  const ids = new Set([idOf(problem)]);
  change(client, ({ given, problems }) => ({
    given: without(given, ids),
    problems: [...without(problems, ids), problem],
  }));
}
