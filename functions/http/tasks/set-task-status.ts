import { moveTask, TaskMoveSchema } from '../../../core/actions/move-task.ts';
import { TaskSchema } from '../../../core/actions/tasks.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const setTaskStatus = endpoint({
  name: 'tasks-set-status',
  method: 'POST',
  path: '/api/tasks/{id}/status',
  summary: 'Set the status of a task',
  description:
    'Setting the present status changes nothing. With `revision`, a task that has changed since is refused.',
  access: can('task.update'),
  transaction: 'write',
  params: IdParams,
  body: TaskMoveSchema,
  response: TaskSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, visibility, params, body, audit, now }) =>
    moveTask(tx, { principal, visibility, audit, now }, params.id, body),
});
