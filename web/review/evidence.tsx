import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useReviewGetCandidate } from '../../client/generated/review/review.ts';
import type { CandidateDetail, Inference } from '../../client/generated/service.schemas.ts';
import { SignedBars } from '../design/bars.tsx';
import { Button } from '../design/button.tsx';
import { decimals } from '../design/decimals.ts';
import { Failure } from '../design/failure.tsx';
import { Kbd } from '../design/kbd.tsx';
import { Skeleton } from '../design/notice.tsx';
import { Time } from '../design/time.tsx';
import { labelOf } from './answers.ts';

type Contribution = Inference['contributions'][number];

const NAMES: Readonly<Record<string, string>> = {
  starting_point: 'Starting point',
  outside_taxonomy: 'Questions here that were nobody’s',
  answers_so_far: 'Your answers about this type',
  learned_offset: 'What was learned of this type',
  learned_words: 'Learned words',
  detector_signals: 'Identifiers',
  indicator_keywords: 'Keywords',
  lexical_similarity: 'Words of the definition',
  title_words: 'Title',
  embedding_similarity: 'Meaning',
  rival_domains: 'Beside other domains',
  name_and_path: 'Name and folder',
  location_expectation: 'The place',
  second_opinion: 'AI opinion',
  thin_text: 'Little text',
  confirmed_copies: 'Copies that were answered',
  confirmed_near_copies: 'Near-copies that were answered',
};

/** Words of the evidence that a label has room for. */
const WORDS = 4;
/** Smaller reasons are one bar together. */
const SMALL = 0.3;

/** The display name of what a detector finds. A detector that is gone has its id alone. */
const titleOf = ({ signals }: CandidateDetail, detectorId: string): string =>
  signals.find((each) => each.detectorId === detectorId)?.title ?? detectorId.replaceAll('_', ' ');

function labelOfReason(detail: CandidateDetail, { name, explanation, evidence }: Contribution): string {
  const words = Object.values(evidence).flatMap((each) => (Array.isArray(each) ? each : []));
  const shown = [...new Set(words)].slice(0, WORDS).map((word) => titleOf(detail, word));
  const label = NAMES[name] ?? explanation;
  return shown.length === 0 ? label : `${label}: ${shown.join(', ')}`;
}

/** Why the model thinks so: bars that add up from the starting point. */
export const Reasons = memo(function Reasons({ detail }: { detail: CandidateDetail }) {
  const { inference } = detail;
  if (inference === null) {
    return (
      <section className="card stack">
        <h2>Why it is asked</h2>
        <p className="dim">A person asks this. The model does not suggest the type.</p>
      </section>
    );
  }
  const [large, small] = [
    inference.contributions.filter(({ value }) => Math.abs(value) >= SMALL),
    inference.contributions.filter(({ value }) => Math.abs(value) < SMALL),
  ];
  const rest = small.reduce((sum, { value }) => sum + value, 0);
  return (
    <section className="card stack" aria-labelledby="reasons">
      <h2 id="reasons">Why the service thinks so · {shownConfidence(inference.confidence)}</h2>
      <SignedBars
        caption="Reasons, for and against"
        bars={[
          ...large.map((each) => ({
            label: labelOfReason(detail, each),
            value: each.value,
            hint: `${each.explanation}. It ${each.inWords}.`,
          })),
          ...(small.length > 0 ? [{ label: `${small.length} smaller reasons`, value: rest }] : []),
        ]}
      />
      <p className="dim">
        {detail.informationTypeName}: {detail.informationTypeDefinition}
      </p>
    </section>
  );
});

/** The redacted excerpts. They are read only on demand, because the audit trail records it. */
export function Excerpts({
  detail,
  isAsked,
  onAsk,
}: {
  detail: CandidateDetail;
  isAsked: boolean;
  onAsk: () => void;
}) {
  const read = useReviewGetCandidate(
    detail.candidateId,
    { excerpts: 'all' },
    { query: { enabled: isAsked, staleTime: Infinity, meta: { isRecorded: true } } },
  );
  return (
    <section className="stack">
      <h2>Excerpts</h2>
      {!isAsked && (
        <>
          <p className="dim">Reading them is recorded in the audit trail.</p>
          <div>
            <Button onClick={onAsk} aria-keyshortcuts="e">
              Read <Kbd>e</Kbd>
            </Button>
          </div>
        </>
      )}
      {isAsked && read.isPending && <Skeleton />}
      {isAsked && read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
      {isAsked && read.data?.excerpts.length === 0 && <p className="dim">None is kept.</p>}
      {isAsked &&
        read.data?.excerpts.map(({ detectorId, text, column, inside }) => (
          <figure key={`${detectorId} ${column ?? inside ?? ''} ${text}`} className="stack">
            <figcaption className="dim">
              {titleOf(detail, detectorId)}
              {column !== undefined && (
                <>
                  {' in column '}
                  <bdi>{column}</bdi>
                </>
              )}
              {inside !== undefined && (
                <>
                  {' in '}
                  <bdi>{inside}</bdi>
                </>
              )}
            </figcaption>
            <blockquote className="excerpt" dir="auto">
              {text}
            </blockquote>
          </figure>
        ))}
    </section>
  );
}

/** Rounded down: the model is never certain. */
const shownConfidence = (confidence: number): string => decimals(Math.floor(confidence * 100) / 100, 2);

export const Found = memo(function Found({ detail: { signals } }: { detail: CandidateDetail }) {
  if (signals.length === 0) return null;
  return (
    <section className="stack">
      <h2>Found</h2>
      <table className="table">
        <thead className="only-read">
          <tr>
            <th>Identifier</th>
            <th>Number</th>
          </tr>
        </thead>
        <tbody>
          {signals.map(({ detectorId, title, count, columns }) => (
            <tr key={detectorId}>
              <td>
                {title}
                {columns !== undefined && (
                  <div className="dim">
                    in <bdi>{columns.items.map(({ column }) => column).join(', ')}</bdi>
                    {columns.truncated && ' and other columns'}
                  </div>
                )}
              </td>
              <td className="num">{count}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
});

const KINDS = {
  identical_bytes: 'the same bytes',
  near_duplicate: 'nearly the same text',
  same_template: 'the same template',
} as const;

/** Open questions about like files, and the way to answer near-copies together. */
export const Similar = memo(function Similar({ detail }: { detail: CandidateDetail }) {
  const { items, truncated } = detail.related;
  return (
    <section className="stack">
      <h2>Similar, also asked</h2>
      {items.length === 0 ? (
        <p className="dim">No other open question is about one like this.</p>
      ) : (
        <>
          <ul className="stack similar">
            {items.map(({ candidateId, assetName, kind, similarity }) => (
              <li key={candidateId}>
                <Link to="/review" search={(before) => ({ ...before, question: candidateId })}>
                  <bdi>{assetName}</bdi>
                </Link>
                <div className="dim">
                  {KINDS[kind]} · {Math.round(similarity * 100)} %
                </div>
              </li>
            ))}
          </ul>
          {truncated && <p className="dim">There are more. The most similar are shown.</p>}
          <div>
            <Link
              className="button"
              to="/review"
              search={(before) => ({ ...before, series: detail.candidateId, question: detail.candidateId })}
            >
              Walk all {items.length + 1}, then answer once
            </Link>
          </div>
        </>
      )}
    </section>
  );
});

export const History = memo(function History({ detail: { decisions } }: { detail: CandidateDetail }) {
  if (decisions.items.length === 0) return null;
  return (
    <section className="stack">
      <h2>Answers so far</h2>
      <ul className="stack">
        {decisions.items.map(({ decisionId, decision, principalName, decidedAt, note }) => (
          <li key={decisionId}>
            <span className="strong">{labelOf(decision)}</span>
            <div className="dim">
              {principalName ?? 'A colleague of another domain'}, <Time at={decidedAt} />
            </div>
            {note !== null && <blockquote dir="auto">{note}</blockquote>}
          </li>
        ))}
      </ul>
    </section>
  );
});
