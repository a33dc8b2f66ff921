import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { TaskStatus, type TasksListParams, TasksOfMine } from '../../client/generated/service.schemas.ts';
import { useTasksFacets, useTasksList } from '../../client/generated/tasks/tasks.ts';
import { ToggleChip } from '../design/chip.tsx';
import { Failure } from '../design/failure.tsx';
import { Empty, Skeleton } from '../design/notice.tsx';
import { counted } from '../shell/facets.ts';
import type { TaskSearch } from '../shell/routes.tsx';
import { member } from '../shell/search.ts';
import { useMe } from '../shell/session.ts';
import { ActionViews, Total } from './action-views.tsx';
import { TaskCard } from './task-card.tsx';
import { TASK_STATUS_NAMES } from './words.ts';

const WHOSE = [
  [TasksOfMine.assigned, 'Waiting for me'],
  [TasksOfMine.requested, 'Requested by me'],
] as const;

/** Tasks that approved actions have made, the newest first. */
export function TaskList() {
  const search = useSearch({ from: '/shell/actions/tasks' });
  const navigate = useNavigate({ from: '/actions/tasks' });
  const { capabilities } = useMe();
  const status = member(TaskStatus, search.status);
  const mine = member(TasksOfMine, search.mine);
  const others: TasksListParams = mine === undefined ? {} : { mine };
  const list = useTasksList(status === undefined ? others : { ...others, status }, {
    query: { placeholderData: (before) => before },
  });
  const facets = useTasksFacets(others, { query: { placeholderData: (before) => before } });
  useEffect(() => {
    document.title = 'Tasks · Governance';
  }, []);
  const change = (by: { status?: string | undefined; mine?: string | undefined }) =>
    void navigate({
      search: (before: TaskSearch) =>
        Object.fromEntries(Object.entries({ ...before, ...by }).filter(([, value]) => value !== undefined)),
    });
  const countOf = (value: string) =>
    facets.data &&
    counted(facets.data.facets.status.find((each) => each.value === value)?.count ?? 0, facets.data.isExact);
  return (
    <div className="page">
      <div className="row">
        <h1 className="grow">Tasks</h1>
        <Total list={list.data} />
      </div>
      <ActionViews />
      <search className="stack">
        {capabilities.includes('task.update') && (
          <fieldset className="row chips" aria-label="Whose">
            {WHOSE.map(([value, name]) => (
              <ToggleChip
                key={value}
                isOn={mine === value}
                onChange={(isOn) => change({ mine: isOn ? value : undefined })}
              >
                {name}
              </ToggleChip>
            ))}
          </fieldset>
        )}
        <fieldset className="row chips" aria-label="Status">
          {Object.values(TaskStatus).map((value) => (
            <ToggleChip
              key={value}
              isOn={status === value}
              onChange={(isOn) => change({ status: isOn ? value : undefined })}
            >
              {TASK_STATUS_NAMES[value]} {countOf(value)}
            </ToggleChip>
          ))}
        </fieldset>
      </search>
      {list.isPending && <Skeleton lines={8} />}
      {list.isError && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.items.length === 0 && <NoTask isFiltered={(status ?? mine) !== undefined} />}
      <ul className="stack">
        {list.data?.items.map((task) => (
          <li key={task.taskId} className="card">
            <TaskCard task={task} showsAction />
          </li>
        ))}
      </ul>
      {list.data?.truncated === true && (
        <p className="dim">The newest {list.data.items.length} are listed. Narrow the list to see others.</p>
      )}
    </div>
  );
}

const NoTask = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No task is so.">
      <Link className="button" to="/actions/tasks" search={{}}>
        Show all tasks
      </Link>
    </Empty>
  ) : (
    <Empty title="There is no task that you may see.">
      <p>A task begins when somebody approves an action that asks for it.</p>
      <Link className="button" to="/actions">
        Go to the actions
      </Link>
    </Empty>
  );
