import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import { refusalOf } from './refusal.ts';

/** A call that failed: what happened, and the next step. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, step } = refusalOf(error);
  return (
    <Notice tone="bad">
      <p className="strong">{title}</p>
      {step !== null && <p className="dim">{step}</p>}
      {onRetry !== undefined && (
        <div>
          <Button onClick={onRetry}>Try again</Button>
        </div>
      )}
    </Notice>
  );
}
