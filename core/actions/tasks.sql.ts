import { z } from 'zod';
import { type ListReader, type Reader, visibleAction } from '../authz/action-visibility.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import { type Statement, sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';
import { type ActionSort, preparedFor } from './action-filter.sql.ts';
import { PersonSchema } from './action-schema.ts';
import { NamedTargetSchema, namedTarget, namedTargetColumns } from './named-target.sql.ts';
import { foundTasks, ownersOf, type TaskFilter, taskOrder } from './task-filter.sql.ts';
import { TASK_STATUSES, type TaskStatus } from './task-states.ts';

const Timestamp = z.iso.datetime();

/** Limit of assignees shown for a task. Domains have few owners. */
const MAX_ASSIGNEES = 50;

export const TaskSchema = z.object({
  taskId: z.string(),
  actionId: z.string(),
  targetAssetId: z.string(),
  ...NamedTargetSchema.shape,
  title: z.string(),
  note: z.string().nullable(),
  status: z.enum(TASK_STATUSES),
  /** The present owners of the action's domains, as far as the reader may see them. */
  assignees: z.array(PersonSchema),
  updatedBy: z.string().nullable(),
  revision: z.int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Task = z.infer<typeof TaskSchema>;

type Row = Omit<Task, 'createdAt' | 'updatedAt'> & { createdAt: Date; updatedAt: Date };

const columnsFor = (visibility: Visibility) => sql`
  t.task_id as "taskId", t.action_id as "actionId", a.target_asset_id as "targetAssetId", ${namedTargetColumns},
  a.task_title as title, a.task_note as note, t.status, t.updated_by as "updatedBy", t.revision, t.created_at as "createdAt",
  t.updated_at as "updatedAt",
  array(select jsonb_build_object('principalId', p.principal_id, 'displayName', p.display_name)
          from principals p
         where p.tenant_id = t.tenant_id and p.status = 'active' and p.principal_id in (${ownersOf(visibility)})
         order by p.principal_id limit ${MAX_ASSIGNEES}) as assignees`;

const from = (tx: Tx, tasks: Statement, { assets }: Reader) => sql`
  ${tasks} t join actions a on a.tenant_id = t.tenant_id and a.action_id = t.action_id
  left join lateral ${namedTarget(tx, assets)} on true`;

const shown = (row: Row): Task => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/** Creates the task of an action. Repeated calls create it once. Returns whether this call created it. */
export async function createTask(tx: Tx, actionId: string, now: number): Promise<boolean> {
  const at = new Date(now);
  const made = await tx.execute(sql`
    insert into tasks (tenant_id, task_id, action_id, status, created_at, updated_at)
    values (${tx.tenantId}, ${newId('tsk', now)}, ${actionId}, 'open', ${at}, ${at})
    on conflict on constraint tasks_once do nothing`);
  return made === 1;
}

export async function hasTask(tx: Tx, actionId: string): Promise<boolean> {
  const rows = await tx.query(
    sql`select 1 from tasks where tenant_id = ${tx.tenantId} and action_id = ${actionId}`,
  );
  return rows.length > 0;
}

/** Tasks that the reader may see under a filter, the newest first unless another order is asked for; at most `limit`. */
export const listTasks = (
  tx: Tx,
  reader: ListReader,
  filter: TaskFilter,
  limit: number,
  { sort = '-created' }: { sort?: ActionSort } = {},
): Promise<Task[]> => readTasks(tx, reader, filter, { beyond: sql`true`, order: taskOrder(sort), limit });

/** The same tasks ordered by id, beginning after `afterId`. The order never changes. */
export const tasksAfter = (
  tx: Tx,
  reader: ListReader,
  filter: TaskFilter,
  afterId: string,
  limit: number,
): Promise<Task[]> =>
  readTasks(tx, reader, filter, { beyond: sql`t.task_id > ${afterId}`, order: sql`t.task_id`, limit });

async function readTasks(
  tx: Tx,
  reader: ListReader,
  filter: TaskFilter,
  { beyond, order, limit }: { beyond: Statement; order: Statement; limit: number },
): Promise<Task[]> {
  const found = await foundTasks(tx, reader, filter);
  const picked = sql`(${found} and ${beyond} order by ${order} limit ${limit})`;
  const rows = await tx.query<Row>(
    preparedFor(
      filter,
      sql`select ${columnsFor(reader.actions)} from ${from(tx, picked, reader)} order by ${order}`,
    ),
  );
  return rows.map(shown);
}

/** Locks a task until the commit. Null if it does not exist or the reader may not see it. */
export async function lockTask(tx: Tx, taskId: string, reader: Reader): Promise<Task | null> {
  const [row] = await tx.query<Row>(sql`
    select ${columnsFor(reader.actions)} from ${from(tx, sql`tasks`, reader)}
     where t.tenant_id = ${tx.tenantId} and t.task_id = ${taskId} and ${visibleAction(reader.actions)}
       for update of t`);
  return row === undefined ? null : shown(row);
}

/** Stores the status of a locked task. */
export async function storeTaskStatus(
  tx: Tx,
  taskId: string,
  { status, principalId, now }: { status: TaskStatus; principalId: string; now: number },
): Promise<void> {
  await tx.query(sql`
    update tasks
       set status = ${status}, updated_by = ${principalId}, revision = revision + 1, updated_at = ${new Date(now)}
     where tenant_id = ${tx.tenantId} and task_id = ${taskId}`);
}
