import { Link } from '@tanstack/react-router';
import { isRefusal } from '../../client/refusal.ts';
import { Button } from '../design/button.tsx';
import { Failure } from '../design/failure.tsx';
import { Empty, Skeleton } from '../design/notice.tsx';
import type { ReviewSearch } from '../shell/routes.tsx';

const FILTERS = ['domain', 'type', 'severity', 'why', 'q'] as const;

type Props = {
  isPending: boolean;
  error: unknown;
  search: ReviewSearch;
  today: number;
  onNext: () => void;
};

/** Why there is no question to show, and what to do. */
export const NoQuestion = (props: Props) => (
  <>
    <h1 className="only-read">Review</h1>
    <Why {...props} />
  </>
);

function Why({ isPending, error, search, today, onNext }: Props) {
  if (isRefusal(error, 'not_found')) {
    return (
      <Empty title="This question is not open any more.">
        <p>It was withdrawn, sent to another domain, or is not about a domain of yours.</p>
        <Button onClick={onNext}>Go to the next question</Button>
      </Empty>
    );
  }
  if (error !== null) return <Failure error={error} />;
  if (isPending) return <Skeleton lines={10} />;
  if (FILTERS.some((name) => search[name] !== undefined)) {
    return (
      <Empty title="No open question is like this.">
        <Link className="button" to="/review" search={{}}>
          Show all open questions
        </Link>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing waits for you.">
      <p>
        {today > 0 ? `You have answered ${today} today. ` : ''}
        New questions come when a scan finds something that looks like yours, or a colleague sends you one.
      </p>
      <Link className="button" to="/">
        Go to Home
      </Link>
    </Empty>
  );
}
