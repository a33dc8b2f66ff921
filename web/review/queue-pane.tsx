import { memo } from 'react';
import type { ReviewListQueueAnswer } from '../../client/generated/service.schemas.ts';
import { Chip } from '../design/chip.tsx';
import { Skeleton } from '../design/notice.tsx';
import { Filters } from './filters.tsx';
import { QueueList } from './queue-list.tsx';
import type { useOwnAnswers, useQueue } from './use-queue.ts';

/** The queue with its filters, the progress of today, and what was put off. */
export const QueuePane = memo(function QueuePane({
  answer,
  questions,
  listed: { rows, selected },
  total,
  own: { today, putOff },
  onSelect,
}: Pick<ReturnType<typeof useQueue>, 'questions' | 'total'> & {
  /** What the service said, if it has. */
  answer: ReviewListQueueAnswer | undefined;
  listed: Pick<ReturnType<typeof useQueue>, 'rows'> & { selected: string | null };
  own: ReturnType<typeof useOwnAnswers>;
  onSelect: (candidateId: string) => void;
}) {
  return (
    <>
      <div className="queue-top">
        <h2>Is this yours?</h2>
        <span className="dim">
          {total} open · {today} today
        </span>
      </div>
      <Filters domains={(answer?.outlook ?? []).map(({ domainId, domainName }) => [domainId, domainName])} />
      {answer?.outlook
        .filter(({ isWorthwhile }) => !isWorthwhile)
        .map(({ domainId, domainName, explanation }) => (
          <p className="dim queue-note" key={domainId}>
            {domainName}: {explanation}
          </p>
        ))}
      {answer === undefined || (rows.length === 0 && questions.length > 0) ? (
        <Skeleton lines={8} />
      ) : (
        <QueueList questions={rows} selected={selected} onSelect={onSelect} />
      )}
      {answer?.truncated === true && (
        <p className="dim queue-note">The {questions.length} most valuable are listed. More follow.</p>
      )}
      {putOff.length > 0 && (
        <section aria-label="Put off">
          <h3 className="queue-note">Put off until the model says something new</h3>
          <ul className="queue-list">
            {putOff.map(({ candidateId, assetName }) => (
              <li key={candidateId}>
                <button
                  type="button"
                  className="queue-row"
                  data-why="deferred"
                  aria-current={candidateId === selected}
                  onClick={() => onSelect(candidateId)}
                >
                  <span className="cut">
                    <bdi>{assetName ?? 'An asset that you may no longer see'}</bdi>
                  </span>
                  <span className="row">
                    <Chip tone="dashed">put off</Chip>
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
});
