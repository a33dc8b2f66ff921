import { memo, useEffect, useRef } from 'react';
import type { Candidate } from '../../client/generated/service.schemas.ts';
import { Chip } from '../design/chip.tsx';
import { Severity } from '../design/severity.tsx';
import { REASONS } from './answers.ts';

type Props = {
  questions: readonly Candidate[];
  selected: string | null;
  onSelect: (candidateId: string) => void;
};

/** The open questions. The order is the service's: the most valuable answer first. */
export const QueueList = memo(({ questions, selected, onSelect }: Props) => (
  <ol className="queue-list" aria-label="Open questions">
    {questions.map((question) => (
      <Row
        key={question.candidateId}
        question={question}
        isSelected={question.candidateId === selected}
        onSelect={onSelect}
      />
    ))}
  </ol>
));

/** An answer draws two rows again, and not all of them. */
const Row = memo(function Row({
  question: { candidateId, assetName, location, riskSeverity, informationTypeName, ...rest },
  isSelected,
  onSelect,
}: {
  question: Candidate;
  isSelected: boolean;
  onSelect: Props['onSelect'];
}) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isSelected) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  const why = REASONS[rest.askedBecause];
  return (
    <li ref={row}>
      <button
        type="button"
        className="queue-row"
        aria-current={isSelected}
        data-why={rest.askedBecause}
        onClick={() => onSelect(candidateId)}
      >
        <span className="strong cut">
          <bdi>{assetName}</bdi>
        </span>
        <span className="dim cut">
          {rest.confidenceInWords !== null && `${rest.confidenceInWords} · `}
          {placeOf(location)}
        </span>
        <span className="row">
          {riskSeverity !== null && <Severity level={riskSeverity} />}
          {informationTypeName !== null && <Chip>{informationTypeName}</Chip>}
          {why !== null && <Chip tone="note">{why}</Chip>}
        </span>
      </button>
    </li>
  );
});

/** The container and the folders, without the name of the file. */
export function placeOf({ scopeName, path }: Candidate['location']): string {
  return [scopeName, ...path.split('/').slice(0, -1)].filter((each) => each !== '').join(' / ');
}
