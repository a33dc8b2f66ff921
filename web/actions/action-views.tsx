import { Link } from '@tanstack/react-router';
import './actions.css';

/** The two lists, each with its own address. */
export const ActionViews = () => (
  <nav className="row action-views" aria-label="Actions and tasks">
    <Link className="button" to="/actions" activeOptions={{ exact: true }}>
      Actions
    </Link>
    <Link className="button" to="/actions/tasks">
      Tasks
    </Link>
  </nav>
);

/** How many there are under the filters. */
export const Total = ({ list }: { list: { total: number; totalIsExact: boolean } | undefined }) =>
  list === undefined ? null : (
    <span className="dim">
      {list.totalIsExact ? '' : 'more than '}
      {list.total.toLocaleString()}
    </span>
  );
