import type { ErrorComponentProps } from '@tanstack/react-router';
import { Failure } from '../design/failure.tsx';

/** A view that failed. The rest of the page stays. */
export const ViewFailure = ({ error, reset }: ErrorComponentProps) => (
  <div className="page">
    <Failure error={error} onRetry={reset} />
  </div>
);
