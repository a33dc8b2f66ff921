import { Link } from '@tanstack/react-router';
import { Empty } from '../design/notice.tsx';

export const NotFound = () => (
  <main className="page">
    <Empty title="There is no page at this address.">
      <Link to="/">Go to Home</Link>
    </Empty>
  </main>
);
