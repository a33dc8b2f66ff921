import { useEffect, useState } from 'react';
import { useReviewGetCandidate } from '../../client/generated/review/review.ts';
import type { CandidateDetail } from '../../client/generated/service.schemas.ts';
import { Button } from '../design/button.tsx';
import { Kbd } from '../design/kbd.tsx';
import { afterPaint } from '../shell/after-paint.ts';

export type Series = {
  members: readonly { candidateId: string; assetName: string }[];
  /** Those that were shown, as they were read. */
  shown: ReadonlyMap<string, CandidateDetail>;
  leftOut: ReadonlySet<string>;
  /** The questions that one answer is for, or null while one of them was not shown. */
  ready: readonly CandidateDetail[] | null;
  /** How many must be shown still. */
  unseen: number;
  toggle: (candidateId: string) => void;
};

/**
 * Near-copies that are looked at one after the other and answered together. One answer is for those that were shown,
 * and each can be left out.
 */
export function useSeries(lead: string | undefined, current: CandidateDetail | undefined): Series | null {
  const [shown, setShown] = useState<ReadonlyMap<string, CandidateDetail>>(new Map());
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const first = useReviewGetCandidate(
    lead ?? '',
    { excerpts: 'none' },
    { query: { enabled: lead !== undefined } },
  );
  useEffect(() => {
    // Another series begins with nothing shown.
    if (lead === undefined) {
      setShown(new Map());
      setLeftOut(new Set());
    } else if (current !== undefined) {
      return afterPaint(() => setShown((before) => new Map(before).set(current.candidateId, current)));
    }
    return undefined;
  }, [lead, current]);
  if (lead === undefined || first.data === undefined) return null;
  const members = [first.data, ...first.data.related.items];
  const included = members.filter(({ candidateId }) => !leftOut.has(candidateId));
  const ready = included.flatMap(({ candidateId }) => shown.get(candidateId) ?? []);
  return {
    members,
    shown,
    leftOut,
    ready: ready.length === included.length && ready.length > 0 ? ready : null,
    unseen: included.length - ready.length,
    toggle: (candidateId) =>
      setLeftOut((before) => {
        const after = new Set(before);
        if (!after.delete(candidateId)) after.add(candidateId);
        return after;
      }),
  };
}

/** The members of a series, in place of the queue. */
export const SeriesList = ({
  series: { members, shown, leftOut, toggle },
  selected,
  onSelect,
  onLeave,
}: {
  series: Series;
  selected: string | null;
  onSelect: (candidateId: string) => void;
  onLeave: () => void;
}) => (
  <>
    <div className="queue-top">
      <h2>{members.length} alike</h2>
      <Button kind="plain" onClick={onLeave}>
        Back to the queue
      </Button>
    </div>
    <p className="dim series-hint">
      Look at each with <Kbd>j</Kbd>, leave out what differs with <Kbd>x</Kbd>, then answer once.
    </p>
    <ol className="queue-list" aria-label="Alike">
      {members.map(({ candidateId, assetName }) => (
        <li key={candidateId} className="series-row" data-left-out={leftOut.has(candidateId)}>
          <input
            type="checkbox"
            aria-label={`Answer for ${assetName}`}
            checked={!leftOut.has(candidateId)}
            onChange={() => toggle(candidateId)}
          />
          <button
            type="button"
            className="queue-row"
            aria-current={candidateId === selected}
            onClick={() => onSelect(candidateId)}
          >
            <span className="strong cut">
              <bdi>{assetName}</bdi>
            </span>
            <span className="dim">{shown.has(candidateId) ? '✓ shown' : 'not shown yet'}</span>
          </button>
        </li>
      ))}
    </ol>
  </>
);
