import { readableBy } from '../../../core/actions/action-visibility.sql.ts';
import { listTasks, TaskSchema } from '../../../core/actions/tasks.sql.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 100;

export const listRecentTasks = endpoint({
  name: 'tasks-list',
  method: 'GET',
  path: '/api/tasks',
  summary: 'The newest tasks that actions created',
  description: 'Approvers and auditors see all tasks. Others see the tasks of the domains that they own.',
  access: session,
  transaction: 'read',
  response: listOf(TaskSchema),
  handle: async ({ tx, principal }) => bounded(await listTasks(tx, readableBy(principal), LIMIT + 1), LIMIT),
});
