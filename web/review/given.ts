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
import { forPeople, refusalOf } from '../design/refusal.ts';
import { meQuery, noticeEnd } from '../shell/session.ts';
import { type Answer, labelOf, type Question } from './answers.ts';

/** An answer of this visit. The page shows it as given before the service has said so. */
export type Given = {
  question: Question;
  answer: Answer;
  /** Of the question: the one that was read, and after the answer the one that it made. */
  revision: number;
  /** The last answer of this visit that the service has taken: what is so if this one fails. */
  saved: { answer: Answer; revision: number } | null;
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
export const answering = queryOptions<Answering>({
  queryKey: ['answering'],
  queryFn: () => NOTHING,
  initialData: NOTHING,
  enabled: false,
  staleTime: Infinity,
  // An answer is known by its identity.
  structuralSharing: false,
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
export async function send(
  client: QueryClient,
  questions: readonly Question[],
  answer: Answer,
): Promise<void> {
  const ids = new Set(questions.map(({ candidateId }) => candidateId));
  change(client, ({ given, problems }) => ({
    given: [
      ...without(given, ids),
      ...questions.map((question) => ({
        question,
        answer,
        revision: question.revision,
        saved: given.find((each) => idOf(each) === question.candidateId)?.saved ?? null,
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
      saved(client, answer, result);
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
      if (result !== null) saved(client, answer, result);
      else if (question !== undefined) {
        await conflicted(client, question, answer, message ?? 'It was refused.', error === 'conflict');
      }
    }
  } catch (error) {
    for (const question of questions) await refused(client, question, answer, error);
  }
}

function saved(client: QueryClient, answer: Answer, { candidateId, revision }: ReviewDecideAnswer) {
  change(client, ({ given, problems }) => ({
    given: given.map((each) =>
      idOf(each) === candidateId ? { ...each, revision, saved: { answer, revision } } : each,
    ),
    problems: without(problems, new Set([candidateId])),
  }));
  // Excerpts are left alone: reading them again would be recorded again.
  void client.invalidateQueries({
    queryKey: getReviewGetCandidateQueryKey(candidateId, { excerpts: 'none' }),
    exact: true,
  });
}

async function refused(client: QueryClient, question: Question, answer: Answer, error: unknown) {
  noticeEnd(error);
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
  const problem = { question, answer, isConflict };
  let now: CandidateDetail;
  try {
    now = await reviewGetCandidate(candidateId, { excerpts: 'none' });
  } catch (error) {
    if (isRefusal(error, 'not_found')) {
      takeBack(client, { ...problem, title: 'This question is not open any more.', step: NOT_SAVED });
    } else {
      const { title } = refusalOf(error);
      takeBack(client, { ...problem, title: forPeople(message), step: `${NOT_SAVED} ${title}` });
    }
    return;
  }
  client.setQueryData(getReviewGetCandidateQueryKey(candidateId, { excerpts: 'none' }), now);
  const faster = fasterOne(question, now, client.getQueryData(meQuery.queryKey)?.principalId);
  takeBack(client, {
    ...problem,
    question: now,
    title: faster ?? forPeople(message),
    step:
      faster !== null && now.status !== 'pending'
        ? `${NOT_SAVED} You can answer otherwise, which replaces that answer.`
        : NOT_SAVED,
  });
}

const NOT_SAVED = 'Your answer was not saved.';

/** Who has answered since the question was read. */
function fasterOne(read: Question, { decisions }: CandidateDetail, me: string | undefined): string | null {
  const [latest] = decisions.items.toSorted((a, b) => b.decidedAt.localeCompare(a.decidedAt));
  if (latest === undefined || latest.decidedAt <= read.updatedAt) return null;
  if (latest.principalId !== null && latest.principalId === me) {
    return `You have answered it already: ${labelOf(latest.decision)}.`;
  }
  return `${latest.principalName ?? 'A colleague'} was faster: ${labelOf(latest.decision)}.`;
}

/** Shows what is so without the answer that failed. One that has replaced it since is left alone. */
function takeBack(client: QueryClient, problem: Problem) {
  const id = idOf(problem);
  change(client, (before) => {
    const failed = before.given.find((each) => idOf(each) === id && each.answer === problem.answer);
    if (failed === undefined) return before;
    const { saved } = failed;
    return {
      given: before.given.flatMap((each) => {
        if (each !== failed) return [each];
        return saved === null ? [] : [{ ...each, ...saved }];
      }),
      problems: [...without(before.problems, new Set([id])), problem],
    };
  });
}
