import type { Decision } from '../../client/generated/service.schemas.ts';
import { Kbd } from '../design/kbd.tsx';
import { ANSWERS } from './answers.ts';

/** The six answers. They are in the order of Tab, and the keys are an extra. */
export const AnswerButtons = ({
  given,
  refusal,
  onAnswer,
}: {
  /** The answer that the question has. */
  given: Decision | null;
  /** Why no answer is possible now. */
  refusal: string | null;
  onAnswer: (decision: Decision) => void;
}) => (
  <fieldset className="answers" aria-label="Is this yours?">
    {ANSWERS.map(({ key, decision, label, needs }) => (
      <button
        key={key}
        type="button"
        className="answer"
        data-main={key === '1'}
        aria-keyshortcuts={key}
        aria-pressed={given === null ? undefined : given === decision}
        aria-disabled={refusal !== null}
        title={refusal ?? undefined}
        // After the first click the next question is there: the second of a double click is not about it.
        onClick={({ detail }) => detail < 2 && onAnswer(decision)}
      >
        <Kbd>{key}</Kbd>
        <span>
          {label}
          {needs !== undefined && '…'}
        </span>
      </button>
    ))}
  </fieldset>
);
