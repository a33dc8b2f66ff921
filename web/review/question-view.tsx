import { memo, useEffect, useRef } from 'react';
import type { CandidateDetail } from '../../client/generated/service.schemas.ts';
import { bytes } from '../design/bytes.ts';
import { Chip } from '../design/chip.tsx';
import { Notice, Skeleton } from '../design/notice.tsx';
import { Severity } from '../design/severity.tsx';
import { Time } from '../design/time.tsx';
import { labelOf, type Question, REASONS } from './answers.ts';
import { placeOf } from './queue-list.tsx';

/**
 * What a question says. It stays mounted while questions change: its heading takes the focus, so that the place is not
 * lost and a screen reader says the next name.
 */
export const QuestionHead = memo(function QuestionHead({
  question,
  takesFocus,
}: {
  question: Question;
  takesFocus: boolean;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(question.candidateId);
  useEffect(() => {
    if (before.current === question.candidateId) return;
    before.current = question.candidateId;
    scrollTo({ top: 0 });
    if (takesFocus) heading.current?.focus({ preventScroll: true });
  }, [question.candidateId, takesFocus]);
  const { asset, riskSeverity, askedBecause, informationTypeName } = question;
  const why = REASONS[askedBecause];
  return (
    <div className="stack question-head">
      <div className="row">
        {riskSeverity !== null && <Severity level={riskSeverity} />}
        {question.status === 'deferred' && <Chip tone="dashed">put off</Chip>}
        {why !== null && <Chip tone="note">{why}</Chip>}
        <span className="dim">
          {placeOf(question.location)} · {bytes(asset.sizeBytes)}
          {asset.sourceModifiedAt !== null && (
            <>
              {' '}
              · changed <Time at={asset.sourceModifiedAt} />
            </>
          )}
          {asset.modifiedBy !== null && ` by ${asset.modifiedBy}`}
        </span>
      </div>
      <h1 ref={heading} tabIndex={-1} dir="auto">
        {question.assetName}
      </h1>
      <p className="sentence">{emphasised(question.summary, informationTypeName)}</p>
      <div className="row dim">
        {question.confidenceInWords !== null && <span>The model: {question.confidenceInWords}.</span>}
        {question.expectation !== null && <span>{question.expectation.explanation}</span>}
        {question.types.length > 1 && (
          <span>
            One answer is for all of: {question.types.map((each) => each.informationTypeName).join(', ')}.
          </span>
        )}
      </div>
    </div>
  );
});

/** The sentence with the name of the type set off. */
function emphasised(summary: string, type: string | null) {
  const at = type === null ? -1 : summary.indexOf(type);
  if (type === null || at < 0) return summary;
  return (
    <>
      {summary.slice(0, at)}
      <strong>{type}</strong>
      {summary.slice(at + type.length)}
    </>
  );
}

/** What was answered before, and what has changed since. */
export function Earlier({ question }: { question: Question }) {
  const { earlierAnswer } = question;
  if (earlierAnswer === null) return null;
  return (
    <Notice>
      <p>
        It was answered <strong>{labelOf(earlierAnswer.decision)}</strong>{' '}
        <Time at={earlierAnswer.decidedAt} />, and is asked again.
      </p>
      {earlierAnswer.changes.map(({ kind, explanation }) => (
        <p className="dim" key={kind}>
          {explanation}
        </p>
      ))}
    </Notice>
  );
}

/** Three facts that an answer may depend on: who can open it, its label, and what an answer moves. */
export const Facts = memo(function Facts({
  question,
  detail,
}: {
  question: Question;
  detail: CandidateDetail | undefined;
}) {
  const { asset } = question;
  return (
    <dl className="facts">
      <div>
        <dt>Who can open it</dt>
        <dd className="strong">{asset.exposureInWords}</dd>
        {detail === undefined ? <Skeleton lines={1} /> : <Grants access={detail.access} />}
      </div>
      <div>
        <dt>Label</dt>
        <dd className="strong">{labelInWords(asset)}</dd>
        {asset.labeledElsewhere && <dd className="dim">A copy of it has one.</dd>}
      </div>
      <div>
        <dt>If you say mine</dt>
        {detail === undefined ? (
          <Skeleton lines={2} />
        ) : (
          <>
            <dd className="strong">{moved(detail.reranks.total)}</dd>
            <dd className="dim">None is answered for you.</dd>
          </>
        )}
      </div>
    </dl>
  );
});

const moved = (total: number): string =>
  total === 0
    ? 'No other question moves'
    : total === 1
      ? '1 similar question is ranked again'
      : `${total} similar questions are ranked again`;

function labelInWords({ labelState, labelName }: Question['asset']): string {
  if (labelState === 'labeled') return labelName ?? 'It has one';
  return labelState === 'unlabeled' ? 'None' : 'Not readable here';
}

const REACHES = [
  ['anyone', 'Anyone'],
  ['organization', 'Organisation'],
  ['outside', 'Outside'],
  ['inside', 'Inside'],
] as const;

const ROLES = { read: 'reads', write: 'writes', owner: 'owns' } as const;
const SHOWN = 3;

function Grants({ access }: { access: CandidateDetail['access'] }) {
  return (
    <>
      {REACHES.flatMap(([reach, name]) => {
        const { count, items } = access[reach];
        if (count === 0) return [];
        const named = items
          .slice(0, SHOWN)
          .flatMap(({ principal, role }) => (principal === null ? [] : [`${principal} ${ROLES[role]}`]));
        const rest = count - named.length;
        return [
          <dd className="dim" key={reach}>
            {name}:{' '}
            {[...named, ...(rest > 0 ? [`${rest}${named.length > 0 ? ' more' : ''}`] : [])].join(', ')}
          </dd>,
        ];
      })}
      {!access.complete && <dd className="dim">The source does not report every grant.</dd>}
    </>
  );
}
