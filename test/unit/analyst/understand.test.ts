import { expect, test } from 'vitest';
import type { Condition, Plan } from '../../../core/analyst/plan.ts';
import { PlanSchema } from '../../../core/analyst/plan.ts';
import { understand } from '../../../core/analyst/understand.ts';
import { PARAPHRASES } from './paraphrases.ts';
import { SHAPES } from './shapes.ts';
import { NOW, WORLD } from './world.ts';

/** The plan with its conditions in one order. */
const ordered = (plan: Plan) => {
  const sorted = (where: readonly Condition[]): unknown[] =>
    where
      .map((each) => (each.field === 'has' ? { ...each, where: sorted(each.where) } : each))
      .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  return { ...plan, where: sorted(plan.where) };
};

const shapes: Readonly<Record<string, { question: string; plan: Plan }>> = SHAPES;

test.each(Object.entries(shapes))('the shape %s', (_, { question, plan }) => {
  expect(PlanSchema.safeParse(plan).error).toBeUndefined();
  const understood = understand(question, WORLD, NOW);
  expect({ ignored: understood.ignored, plan: ordered(understood.plan) }).toEqual({ ignored: [], plan: ordered(plan) });
  expect(understood.state).toBe('whole');
});

test.each(PARAPHRASES)('the paraphrase of %s: %s', (shape, question) => {
  const understood = understand(question, WORLD, NOW);
  expect({ ignored: understood.ignored, plan: ordered(understood.plan) }).toEqual({
    ignored: [],
    plan: ordered(shapes[shape]?.plan ?? expect.unreachable('No such shape.')),
  });
});
