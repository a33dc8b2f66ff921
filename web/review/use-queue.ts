import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useReviewListDecisions } from '../../client/generated/review/review.ts';
import type { GivenDecision } from '../../client/generated/service.schemas.ts';
import type { ReviewSearch } from '../shell/routes.tsx';
import { useRows } from '../shell/rows.ts';
import type { Given } from './given.ts';
import { queueFilter, queueQuery } from './queue-query.ts';

/** New questions appear by themselves. */
const REFRESH_MS = 60_000;
/** A person who goes from question to question does not rest as long on one. */
const REST_MS = 250;

/** The open questions under the filters of the address, without those that are answered already. */
export function useQueue(given: readonly Given[]) {
  const search = useSearch({ from: '/shell/review' });
  const queue = useQuery({
    ...queueQuery(search),
    refetchInterval: REFRESH_MS,
    placeholderData: (before) => before,
  });
  const items = queue.data?.items;
  const { questions, answered } = useMemo(() => {
    const revisions = new Map(given.map((each) => [each.question.candidateId, each.revision]));
    // A question that is asked again has a newer revision than the answer.
    const open = (items ?? []).filter(
      ({ candidateId, revision }) => revision > (revisions.get(candidateId) ?? -1),
    );
    return {
      questions: open,
      answered: (items ?? []).length - open.length,
    };
  }, [items, given]);
  const rows = useRows(
    questions,
    JSON.stringify(queueFilter(search)),
    queue.isSuccess && !queue.isPlaceholderData,
  );
  return { queue, questions, rows, total: (queue.data?.total ?? 0) - answered };
}

/** The own answers, before this visit: how many of today, and the questions that were put off. */
export function useOwnAnswers(given: readonly Given[]) {
  const decisions = useReviewListDecisions({ by: 'me' }, { query: { staleTime: Infinity } });
  const items = decisions.data?.items;
  return useMemo(() => {
    const midnight = new Date();
    midnight.setHours(0, 0, 0, 0);
    const here = new Set(given.map((each) => each.question.candidateId));
    const before = (items ?? []).filter(({ candidateId }) => !here.has(candidateId));
    const today = new Set(
      before.filter(({ decidedAt }) => new Date(decidedAt) >= midnight).map((each) => each.candidateId),
    );
    const putOff: Pick<GivenDecision, 'candidateId' | 'assetName'>[] = [
      ...given
        .filter(({ answer }) => answer.decision === 'need_more_evidence')
        .map(({ question: { candidateId, assetName } }) => ({ candidateId, assetName })),
      ...before.filter(({ status, stands }) => status === 'deferred' && stands),
    ];
    const last = given.at(-1)?.question.candidateId ?? before.find((each) => each.isRevisable)?.candidateId;
    return { today: today.size + here.size, putOff, last: last ?? null };
  }, [items, given]);
}

/** Changes the address: filters stay in the history, and moves between questions do not fill it. */
export function useReviewAddress() {
  const search = useSearch({ from: '/shell/review' });
  const navigate = useNavigate({ from: '/review' });
  const go = useCallback(
    (change: { [Key in keyof ReviewSearch]?: string | undefined }, replace = true) =>
      void navigate({
        search: (before: ReviewSearch) =>
          Object.fromEntries(
            Object.entries({ ...before, ...change }).filter(
              ([, value]) => value !== undefined && value !== '',
            ),
          ),
        replace,
      }),
    [navigate],
  );
  return { search, go };
}

/**
 * The question that is named, by the address or by the last move, and a move to another. A move shows it at once, and
 * the address follows when no other move does: the router takes longer than a person waits.
 */
export function useNamedQuestion() {
  const { search, go } = useReviewAddress();
  const [move, setMove] = useState<{ from: string | undefined; to: string | undefined } | null>(null);
  // The address has followed, or has gone elsewhere.
  if (move !== null && move.from !== search.question) setMove(null);
  useEffect(() => {
    if (move === null) return;
    const timer = setTimeout(() => go({ question: move.to }), REST_MS);
    return () => clearTimeout(timer);
  }, [move, go]);
  const moveTo = useCallback(
    (to: string | undefined) => setMove({ from: search.question, to }),
    [search.question],
  );
  return { named: move === null ? search.question : move.to, moveTo };
}
