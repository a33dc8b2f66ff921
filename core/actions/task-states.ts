import type { Transition } from '../kernel/transition.ts';

export const TASK_STATUSES = ['open', 'in_progress', 'done', 'cancelled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

type TaskTrigger = 'created' | 'started' | 'put_back' | 'finished' | 'dropped' | 'reopened';

/**
 * The states of a task. A person names the new status, so at most one transition leads from one status to another.
 */
export const TASK_TRANSITIONS: readonly Transition<TaskStatus, TaskTrigger>[] = [
  { from: null, trigger: 'created', to: 'open' },
  { from: 'open', trigger: 'started', to: 'in_progress' },
  { from: 'open', trigger: 'finished', to: 'done' },
  { from: 'open', trigger: 'dropped', to: 'cancelled' },
  { from: 'in_progress', trigger: 'put_back', to: 'open' },
  { from: 'in_progress', trigger: 'finished', to: 'done' },
  { from: 'in_progress', trigger: 'dropped', to: 'cancelled' },
  { from: 'done', trigger: 'reopened', to: 'open' },
  { from: 'cancelled', trigger: 'reopened', to: 'open' },
];

/** The trigger that leads from one status to another, or null if that is not allowed. */
export const taskTrigger = (from: TaskStatus, to: TaskStatus): TaskTrigger | null =>
  TASK_TRANSITIONS.find((row) => row.from === from && row.to === to)?.trigger ?? null;
