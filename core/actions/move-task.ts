import { z } from 'zod';
import { readerOf } from '../authz/action-visibility.sql.ts';
import type { Tx } from '../db/tx.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { Requester } from './draft.ts';
import { TASK_STATUSES, taskTrigger } from './task-states.ts';
import { lockTask, storeTaskStatus, type Task } from './tasks.sql.ts';

/** With `revision`, the request is refused if the task has changed since. */
export const TaskMoveSchema = z.strictObject({
  status: z.enum(TASK_STATUSES),
  revision: z.int().nonnegative().optional(),
});
export type TaskMove = z.infer<typeof TaskMoveSchema>;

/** Sets the status of a task. If it already has that status, nothing changes. Throws `not_found` and `conflict`. */
export async function moveTask(
  tx: Tx,
  by: Requester,
  taskId: string,
  { status, revision }: TaskMove,
): Promise<Task> {
  const { principal, visibility, now } = by;
  const task = await lockTask(tx, taskId, readerOf(principal, visibility));
  if (task === null) throw notFound();
  if (task.status === status) return task;
  if (revision !== undefined && revision !== task.revision)
    throw new ServiceError('conflict', 'The task has changed in the meantime. Read it again.');
  const trigger = taskTrigger(task.status, status);
  if (trigger === null)
    throw new ServiceError('conflict', `A task that is ${task.status} cannot become ${status}.`);
  const { principalId } = principal;
  await storeTaskStatus(tx, taskId, { status, principalId, now });
  by.audit({
    category: 'action',
    type: `task_${trigger}`,
    target: { kind: 'task', id: taskId },
    details: { actionId: task.actionId, status },
  });
  return {
    ...task,
    status,
    updatedBy: principalId,
    revision: task.revision + 1,
    updatedAt: new Date(now).toISOString(),
  };
}
