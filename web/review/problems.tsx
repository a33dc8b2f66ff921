import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { labelOf } from './answers.ts';
import type { Problem } from './given.ts';

/** Answers that were not taken. They do not move the page: the next key must not meet another question. */
export const Problems = ({
  problems,
  current,
  onShow,
  onRetry,
  onDismiss,
}: {
  problems: readonly Problem[];
  current: string | null;
  onShow: (candidateId: string) => void;
  onRetry: (problem: Problem) => void;
  onDismiss: (candidateId: string) => void;
}) => (
  <>
    {problems.map((problem) => {
      const { question, answer, title, step, isConflict } = problem;
      const { candidateId, assetName } = question;
      return (
        <Notice tone="bad" key={candidateId}>
          <p>
            <strong>{title}</strong> {labelOf(answer.decision)}: <bdi>{assetName}</bdi>
          </p>
          {step !== null && <p className="dim">{step}</p>}
          <div className="row">
            {!isConflict && <Button onClick={() => onRetry(problem)}>Send again</Button>}
            {candidateId !== current && (
              <Button onClick={() => onShow(candidateId)}>Show the question</Button>
            )}
            <Button kind="plain" onClick={() => onDismiss(candidateId)}>
              Dismiss
            </Button>
          </div>
        </Notice>
      );
    })}
  </>
);
