import type { TaskFilter } from '../actions/task-filter.sql.ts';
import { type Task, tasksAfter } from '../actions/tasks.sql.ts';
import type { ListReader } from '../authz/action-visibility.sql.ts';
import type { Table } from './export-format.ts';
import { pagesAfter } from './pages-after.ts';
import type { Reading } from './start-export.ts';

/** Pages of the tasks that the reader may see. */
export const taskPages = (reading: Reading, reader: ListReader, filter: TaskFilter) =>
  pagesAfter(
    (afterId: string | null, limit) => reading((tx) => tasksAfter(tx, reader, filter, afterId ?? '', limit)),
    ({ taskId }) => taskId,
  );

const COLUMNS = [
  'taskId',
  'actionId',
  'title',
  'note',
  'status',
  'targetAssetId',
  'targetAssetName',
  'targetAssetPath',
  'targetScopeName',
  'updatedBy',
  'revision',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof Task)[];

export const taskTable: Table<Task> = {
  columns: [...COLUMNS, 'assigneeIds', 'assigneeNames'],
  cells: (task) => [
    ...COLUMNS.map((column) => task[column]),
    task.assignees.map(({ principalId }) => principalId).join(', '),
    task.assignees.map(({ displayName }) => displayName).join(', '),
  ],
};
