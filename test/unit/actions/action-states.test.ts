import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ACTION_TRANSITIONS,
  ACTION_TRIGGERS,
  type ActionTrigger,
  AUTHORING_TRIGGERS,
  nextActionState,
} from '../../../core/actions/action-states.ts';
import { TASK_STATUSES, TASK_TRANSITIONS, taskTrigger } from '../../../core/actions/task-states.ts';
import { ACTION_STATUSES, type ActionStatus } from '../../../core/kernel/vocabulary.ts';

const triggers = fc.array(fc.constantFrom(...ACTION_TRIGGERS), { minLength: 1, maxLength: 40 });

/** The states that the triggers lead through; those that lead nowhere are passed over. */
function walk(list: readonly ActionTrigger[]): { trigger: ActionTrigger; to: ActionStatus }[] {
  let at: ActionStatus | null = null;
  const steps = [];
  for (const trigger of list) {
    const to = nextActionState(at, trigger);
    if (to === null) continue;
    at = to;
    steps.push({ trigger, to });
  }
  return steps;
}

test('a state and a trigger lead to one state', () => {
  expect(new Set(ACTION_TRANSITIONS.map(({ from, trigger }) => `${from} ${trigger}`)).size).toBe(
    ACTION_TRANSITIONS.length,
  );
});

test('nothing is executed without an approval after the last preview and a submission', () => {
  fc.assert(
    fc.property(triggers, (list) => {
      const steps = walk(list);
      steps.forEach(({ trigger }, at) => {
        if (trigger !== 'claimed') return;
        const before = steps.slice(0, at).map((step) => step.trigger);
        const approved = before.lastIndexOf('approved');
        const submitted = before.lastIndexOf('submitted');
        const previewed = before.findLastIndex((each) =>
          ['drafted', 'blocked', 'repreviewed'].includes(each),
        );
        expect(previewed).toBeGreaterThanOrEqual(0);
        expect(submitted).toBeGreaterThan(previewed);
        expect(approved).toBeGreaterThan(submitted);
      });
    }),
  );
});

test('a verified, rejected or cancelled action is over; a blocked one waits', () => {
  for (const trigger of ACTION_TRIGGERS) {
    for (const over of ['verified', 'rejected', 'cancelled'] as const)
      expect(nextActionState(over, trigger)).toBeNull();
  }
  expect(nextActionState('blocked', 'submitted')).toBeNull();
  expect(nextActionState('drifted', 'approved')).toBeNull();
});

test('whatever somebody has a part in before the decision makes them an author', () => {
  const bySomebody = ACTION_TRANSITIONS.filter(({ to }) =>
    ['draft', 'blocked', 'awaiting_approval'].includes(to),
  ).map(({ trigger }) => trigger);
  expect(new Set(bySomebody)).toEqual(new Set(AUTHORING_TRIGGERS));
});

test('of two states of an action or a task each has a row', () => {
  for (const status of ACTION_STATUSES) expect(ACTION_TRANSITIONS.some(({ to }) => to === status)).toBe(true);
  for (const status of TASK_STATUSES) expect(TASK_TRANSITIONS.some(({ to }) => to === status)).toBe(true);
});

test('of two states of a task one trigger at most leads from one to the other', () => {
  const pairs = TASK_TRANSITIONS.map(({ from, to }) => `${from} ${to}`);
  expect(new Set(pairs).size).toBe(pairs.length);
  expect(taskTrigger('open', 'done')).toBe('finished');
  expect(taskTrigger('done', 'in_progress')).toBeNull();
});
