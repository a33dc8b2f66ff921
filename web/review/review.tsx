import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import {
  getReviewGetCandidateQueryOptions,
  useReviewGetCandidate,
} from '../../client/generated/review/review.ts';
import { Button } from '../design/button.tsx';
import { Failure } from '../design/failure.tsx';
import { afterPaint } from '../shell/after-paint.ts';
import { useKeys } from '../shell/keys.ts';
import { part } from '../shell/part.tsx';
import type { Answer, Question } from './answers.ts';
import { useAnswering } from './given.ts';
import { NoQuestion } from './no-question.tsx';
import { Problems } from './problems.tsx';
import { QuestionPanel } from './question-panel.tsx';
import { QueuePane } from './queue-pane.tsx';
import './review.css';
import { SeriesList, useSeries } from './series.tsx';
import { useNamedQuestion, useOwnAnswers, useQueue, useReviewAddress } from './use-queue.ts';

const Sheet = part(async () => (await import('../design/dialog.tsx')).Dialog);

/** How many of the next questions are read ahead. */
const AHEAD = 2;

const NOT_LISTED = { rows: [], selected: null };

/** One question at a time: the queue beside it, six answers, and why. */
export function Review() {
  const { search, go } = useReviewAddress();
  const { named, moveTo } = useNamedQuestion();
  const { given, problems, answer, dismiss } = useAnswering();
  const { queue, questions, rows, total } = useQueue(given);
  const own = useOwnAnswers(given);
  const [isSheetOpen, setSheetOpen] = useState(false);
  const selected = named ?? questions[0]?.candidateId ?? null;
  // A question is painted first, the first one too, and then the list beside it.
  const listed = useDeferredValue(
    useMemo(() => ({ rows, selected }), [rows, selected]),
    NOT_LISTED,
  );
  const detail = useReviewGetCandidate(
    selected ?? '',
    { excerpts: 'none' },
    { query: { enabled: selected !== null } },
  );
  const series = useSeries(search.series, detail.data);
  useReadAhead(series === null ? questions : series.members, selected);
  useEffect(() => {
    document.title = `Review (${total}) · Governance`;
  }, [total]);

  const known = given.find((each) => each.question.candidateId === selected) ?? null;
  const question: Question | null =
    questions.find((each) => each.candidateId === selected) ?? detail.data ?? known?.question ?? null;

  const walked = series === null ? questions : series.members;
  const step = (by: number) => {
    const at = walked.findIndex(({ candidateId }) => candidateId === selected);
    const next = walked[at < 0 ? 0 : Math.min(walked.length - 1, Math.max(0, at + by))];
    if (next !== undefined) moveTo(next.candidateId);
  };
  const show = useCallback(
    (candidateId: string) => {
      setSheetOpen(false);
      moveTo(candidateId);
    },
    [moveTo],
  );
  const leaveSeriesFor = (candidateId: string | undefined) =>
    series === null ? moveTo(candidateId) : go({ question: candidateId, series: undefined });
  const send = (asked: readonly Question[], chosen: Answer) => {
    void answer(asked, chosen);
    const ids = new Set(asked.map(({ candidateId }) => candidateId));
    const at = questions.findIndex(({ candidateId }) => candidateId === selected);
    const rest = questions.filter(({ candidateId }) => !ids.has(candidateId));
    leaveSeriesFor(rest[Math.min(Math.max(0, at), rest.length - 1)]?.candidateId);
  };
  const takeBack = () => {
    if (own.last !== null) leaveSeriesFor(own.last);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    u: takeBack,
    '/': () => document.getElementById('queue-search')?.focus(),
    ...(series !== null && selected !== null && { x: () => series.toggle(selected) }),
  });

  if (queue.isError && queue.data === undefined) {
    return (
      <div className="page">
        <h1 className="only-read">Review</h1>
        <Failure error={queue.error} onRetry={() => void queue.refetch()} />
      </div>
    );
  }
  const pane =
    series !== null ? (
      <SeriesList
        series={series}
        selected={selected}
        onSelect={show}
        onLeave={() => go({ series: undefined })}
      />
    ) : (
      <QueuePane
        answer={queue.data}
        questions={questions}
        listed={listed}
        total={total}
        own={own}
        onSelect={show}
      />
    );
  return (
    <div className="review">
      <section className="queue" aria-label="Queue">
        {pane}
      </section>
      <div className="queue-button">
        <Button onClick={() => setSheetOpen(true)}>
          {series === null ? `${total} open · ${own.today} today` : `${series.members.length} alike`}
        </Button>
      </div>
      {isSheetOpen && (
        <Sheet title="Queue" onClose={() => setSheetOpen(false)}>
          {pane}
        </Sheet>
      )}
      <div className="question">
        <Problems
          problems={problems}
          current={selected}
          onShow={leaveSeriesFor}
          onRetry={(problem) => void answer([problem.question], problem.answer)}
          onDismiss={dismiss}
        />
        {question === null ? (
          <NoQuestion
            isPending={queue.isPending || (selected !== null && detail.isPending)}
            error={selected === null ? null : detail.error}
            search={search}
            today={own.today}
            onNext={() => go({ question: undefined })}
          />
        ) : (
          <QuestionPanel
            question={question}
            detail={detail.data?.candidateId === question.candidateId ? detail.data : undefined}
            known={known}
            series={series}
            onAnswer={send}
            onTakeBack={own.last === null ? null : takeBack}
          />
        )}
      </div>
    </div>
  );
}

/** Reads the next questions before they are shown. */
function useReadAhead(questions: readonly { candidateId: string }[], selected: string | null) {
  const client = useQueryClient();
  const at = questions.findIndex(({ candidateId }) => candidateId === selected);
  const next = questions
    .slice(at + 1, at + 1 + AHEAD)
    .map(({ candidateId }) => candidateId)
    .join(' ');
  useEffect(
    () =>
      afterPaint(() => {
        for (const candidateId of next.split(' ').filter((each) => each !== '')) {
          void client.prefetchQuery(getReviewGetCandidateQueryOptions(candidateId, { excerpts: 'none' }));
        }
      }),
    [client, next],
  );
}
