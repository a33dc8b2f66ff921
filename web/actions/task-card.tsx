import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { type Task, TaskStatus } from '../../client/generated/service.schemas.ts';
import { tasksSetStatus } from '../../client/generated/tasks/tasks.ts';
import { ActButton } from '../design/button.tsx';
import { Chip } from '../design/chip.tsx';
import { Time } from '../design/time.tsx';
import { readAgain } from '../shell/query-client.ts';
import { useMe } from '../shell/session.ts';
import { NotDone } from './not-done.tsx';
import { TargetFile } from './target.tsx';
import { TASK_STATUS_NAMES } from './words.ts';

const { open, in_progress, done, cancelled } = TaskStatus;

const STEPS: Readonly<Record<TaskStatus, readonly [to: TaskStatus, name: string][]>> = {
  [open]: [
    [in_progress, 'Start'],
    [done, 'Done'],
    [cancelled, 'Drop'],
  ],
  [in_progress]: [
    [done, 'Done'],
    [open, 'Put back'],
    [cancelled, 'Drop'],
  ],
  [done]: [[open, 'Open again']],
  [cancelled]: [[open, 'Open again']],
};

/** A task: what is to do, by whom, and the next steps. */
export function TaskCard({ task, showsAction = false }: { task: Task; showsAction?: boolean }) {
  const { taskId: id, title, note, status, assignees, revision } = task;
  const { capabilities } = useMe();
  const heading = useRef<HTMLHeadingElement>(null);
  const move = useMutation({
    mutationFn: (to: TaskStatus) => tasksSetStatus(id, { status: to, revision }),
    onSettled: async () => {
      // The button is gone.
      heading.current?.focus();
      await readAgain();
    },
  });
  return (
    <article className="stack">
      <div className="row">
        <h2 className="title" ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h2>
        <Chip tone={status === 'open' ? 'note' : 'usual'}>{TASK_STATUS_NAMES[status]}</Chip>
      </div>
      <TargetFile target={task} />
      {note !== null && note !== '' && <blockquote dir="auto">{note}</blockquote>}
      <p className="dim">
        {assignees.length === 0
          ? 'No owner whom you may see has it'
          : `For ${assignees.map(({ displayName }) => displayName).join(', ')}`}
        {' · changed '}
        <Time at={task.updatedAt} />
      </p>
      <div className="row">
        {capabilities.includes('task.update') &&
          STEPS[status].map(([to, name]) => (
            <ActButton key={to} isBusy={move.isPending} onAct={() => move.mutate(to)}>
              {name}
            </ActButton>
          ))}
        {showsAction && (
          <Link to="/actions/$actionId" params={{ actionId: task.actionId }}>
            See its action
          </Link>
        )}
      </div>
      {move.isError && <NotDone error={move.error} />}
    </article>
  );
}
