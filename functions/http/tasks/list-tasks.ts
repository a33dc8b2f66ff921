import { z } from 'zod';
import { countTasks } from '../../../core/actions/action-counts.sql.ts';
import { ACTION_SORTS } from '../../../core/actions/action-filter.sql.ts';
import { TaskFilterSchema } from '../../../core/actions/task-filter.sql.ts';
import { listTasks, TaskSchema } from '../../../core/actions/tasks.sql.ts';
import { readableBy } from '../../../core/authz/action-visibility.sql.ts';
import { endpoint, session } from '../../../core/http/endpoint.ts';
import { bounded, countedListOf, limitUpTo, rowsToRead } from '../../../core/kernel/list.ts';

export const listRecentTasks = endpoint({
  name: 'tasks-list',
  method: 'GET',
  path: '/api/tasks',
  summary: 'The newest tasks that actions created',
  description:
    'Approvers and auditors see all tasks. Others see the tasks of the domains that they own. Returns `limit` of them, or ' +
    '100. `total` counts up to 10,000.',
  access: session,
  transaction: 'read',
  query: TaskFilterSchema.extend({ sort: z.enum(ACTION_SORTS).default('-created'), limit: limitUpTo(100) }),
  response: countedListOf(TaskSchema),
  handle: async ({ tx, principal, query: { limit, sort, ...filter } }) => {
    const reader = readableBy(principal);
    const { items, truncated } = bounded(
      await listTasks(tx, reader, filter, rowsToRead(limit), { sort }),
      limit,
    );
    return { items, truncated, ...(await countTasks(tx, reader, filter)) };
  },
});
