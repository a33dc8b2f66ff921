import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Failure } from '../design/failure.tsx';

/** A view that failed or could not be loaded. The rest of the page stays. */
export function ViewFailure({ error }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <div className="page">
      <Failure error={error} onRetry={() => void router.invalidate()} />
    </div>
  );
}
