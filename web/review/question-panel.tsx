import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { CandidateDetail, Decision } from '../../client/generated/service.schemas.ts';
import { Button } from '../design/button.tsx';
import { Kbd } from '../design/kbd.tsx';
import { Notice, Skeleton } from '../design/notice.tsx';
import { useKeys } from '../shell/keys.ts';
import { nounOf } from '../shell/labels.ts';
import { part } from '../shell/part.tsx';
import { useMe } from '../shell/session.ts';
import { AnswerButtons } from './answer-buttons.tsx';
import {
  ANSWERS,
  type Answer,
  labelOf,
  NO_REMARK,
  type Question,
  type Remark,
  withRemark,
} from './answers.ts';
import { Excerpts, Found, History, Reasons, Similar } from './evidence.tsx';
import type { Given } from './given.ts';
import { NoteField } from './note-field.tsx';
import { Earlier, Facts, QuestionHead } from './question-view.tsx';
import type { Series } from './series.tsx';

const Destinations = part(async () => (await import('./destinations.tsx')).Destinations);

type Props = {
  question: Question;
  detail: CandidateDetail | undefined;
  known: Given | null;
  series: Series | null;
  onAnswer: (questions: readonly Question[], answer: Answer) => void;
  onTakeBack: (() => void) | null;
};

/** A question, and everything that an answer needs. */
export function QuestionPanel({ question, detail, known, series, onAnswer, onTakeBack }: Props) {
  const { candidateId } = question;
  const { capabilities } = useMe();
  const [remarks, setRemarks] = useState<Readonly<Record<string, Remark>>>({});
  const [needs, setNeeds] = useState<'type' | 'domain' | null>(null);
  const [excerptsOf, setExcerptsOf] = useState<ReadonlySet<string>>(new Set());
  const [said, setSaid] = useState('');
  const [notesOpen, setNotesOpen] = useState<ReadonlySet<string>>(new Set());
  const note = useRef<HTMLTextAreaElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const remark = remarks[candidateId] ?? NO_REMARK;
  const mayRead = capabilities.includes('asset.evidence.excerpt.read');
  const mayDecide = capabilities.includes('review.decide');

  // What answers 2 and 3 open is there before it is needed.
  useEffect(() => {
    const timer = setTimeout(() => void Destinations.load().catch(() => undefined), 1_500);
    return () => clearTimeout(timer);
  }, []);

  const refusal = refusalOf(series, mayDecide);
  const give = (answer: Answer) => {
    setNeeds(null);
    if (refusal !== null) return;
    // The revision that was read is named: that of a given answer, or of the question.
    const asked = series?.ready ?? [
      known === null ? (detail ?? question) : { ...question, revision: known.revision },
    ];
    onAnswer(asked, withRemark(answer, remark));
    setSaid(`${labelOf(answer.decision)}: ${asked.map(({ assetName }) => assetName).join(', ')}`);
  };
  const choose = (decision: Decision) => {
    if (refusal !== null) {
      setSaid(refusal);
      return;
    }
    switch (decision) {
      case 'mine_different_type':
        return setNeeds('type');
      case 'another_domain':
        return setNeeds('domain');
      default:
        return give({ decision });
    }
  };
  const openNote = () => {
    flushSync(() => setNotesOpen((before) => new Set(before).add(candidateId)));
    note.current?.focus();
  };
  const readExcerpts = () => setExcerptsOf((before) => new Set(before).add(candidateId));
  useKeys({
    ...(mayDecide && {
      ...Object.fromEntries(ANSWERS.map(({ key, decision }) => [key, () => choose(decision)])),
      t: () => choose('mine_different_type'),
      n: openNote,
    }),
    ...(mayRead && { e: readExcerpts }),
  });

  const standing = known?.answer.decision ?? standingOf(detail);
  return (
    <div className="panel" ref={panel}>
      <p className="only-read" role="status">
        {said}
      </p>
      <div className="panel-main">
        <QuestionHead question={question} takesFocus={needs === null} />
        {standing !== null && <Standing decision={standing} known={known} detail={detail} />}
        <Earlier question={question} />
        {mayDecide && (
          <div className="answer-bar">
            {refusal !== null && <p className="dim">{refusal}</p>}
            {series?.ready != null && <p className="strong">One answer for {series.ready.length} alike</p>}
            <AnswerButtons given={standing} refusal={refusal} onAnswer={choose} />
          </div>
        )}
        {mayDecide && (
          <NoteField
            remark={remark}
            isOpen={notesOpen.has(candidateId)}
            onOpen={openNote}
            onChange={(changed) => setRemarks((before) => ({ ...before, [candidateId]: changed }))}
            field={note}
            onLeave={() => panel.current?.querySelector('h1')?.focus()}
          />
        )}
        <Facts question={question} detail={detail} />
        {detail === undefined ? <Skeleton lines={6} /> : <Reasons detail={detail} />}
        <p className="row dim hints">
          <span>
            <Kbd>j</Kbd> next
          </span>
          <span>
            <Kbd>k</Kbd> previous
          </span>
          <span>
            <Kbd>?</Kbd> all keys
          </span>
          {onTakeBack !== null && (
            <Button kind="plain" onClick={onTakeBack} aria-keyshortcuts="u">
              <Kbd>u</Kbd> take the last answer back
            </Button>
          )}
        </p>
      </div>
      <div className="panel-side">
        {detail !== undefined && (
          <>
            {mayRead && (
              <Excerpts detail={detail} isAsked={excerptsOf.has(candidateId)} onAsk={readExcerpts} />
            )}
            <Found detail={detail} />
            {series === null && <Similar detail={detail} />}
            <History detail={detail} />
          </>
        )}
        {capabilities.includes('asset.metadata.read') && (
          <p>
            <Link to="/assets/$assetId" params={{ assetId: question.assetId }}>
              All about this {nounOf(question.asset)}
            </Link>
          </p>
        )}
        {question.asset.sourceUrl !== null && (
          <p>
            <a href={question.asset.sourceUrl} target="_blank" rel="noreferrer">
              Open the {nounOf(question.asset)} where it is
            </a>
          </p>
        )}
      </div>
      {needs !== null && (
        <Destinations needs={needs} question={question} onAnswer={give} onClose={() => setNeeds(null)} />
      )}
    </div>
  );
}

function refusalOf(series: Series | null, mayDecide: boolean): string | null {
  if (!mayDecide) return 'You may read questions, and not answer them.';
  if (series === null || series.ready !== null) return null;
  return series.unseen > 0
    ? `Look at the other ${series.unseen} first, or leave them out.`
    : 'All are left out.';
}

/** The answer that a question has by now, whoever gave it. */
function standingOf(detail: CandidateDetail | undefined): Decision | null {
  if (detail === undefined || detail.status === 'pending') return null;
  return detail.answer?.decision ?? null;
}

function Standing({
  decision,
  known,
  detail,
}: {
  decision: Decision;
  known: Given | null;
  detail: CandidateDetail | undefined;
}) {
  const latest = detail?.decisions.items.find((each) => each.decisionId === detail.answer?.decisionId);
  const { principalId } = useMe();
  const isOwn = known !== null || latest?.principalId === principalId;
  const who = isOwn ? 'You have answered' : `${latest?.principalName ?? 'A colleague'} has answered`;
  return (
    <Notice>
      <p>
        {who} <strong>{labelOf(decision)}</strong>. Another answer replaces it.
      </p>
      {decision === 'another_domain' && (
        <p className="dim">It can be taken back until somebody of the other domain has answered.</p>
      )}
    </Notice>
  );
}
