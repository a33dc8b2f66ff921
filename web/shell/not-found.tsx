import { Link } from '@tanstack/react-router';
import { Empty } from '../design/notice.tsx';

export const NotFound = () => (
  <main className="page">
    <Empty title="There is no page at this address.">
      <Link to="/">Go to Home</Link>
    </Empty>
  </main>
);

export const NotYours = () => (
  <div className="page">
    <h1 className="only-read">No access</h1>
    <Empty title="Your role does not have this view.">
      <p>The administrator of this service can give you a role that has it.</p>
      <Link className="button" to="/">
        Go to Home
      </Link>
    </Empty>
  </div>
);
