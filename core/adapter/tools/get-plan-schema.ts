import { z } from 'zod';
import { PlanLanguageSchema } from '../../analyst/plan-language.ts';
import { NAME_KINDS } from '../../analyst/vocabulary.ts';
import { ONE } from '../page.ts';
import { tool } from '../tool.ts';

export const getPlanSchema = tool({
  name: 'get_plan_schema',
  title: 'Read the plan language',
  description:
    'The language of plans for `run_plan`, or with `names` the ids and names of one kind that a plan may name.',
  effect: 'read',
  input: z.strictObject({ names: z.enum(NAME_KINDS).optional() }),
  data: PlanLanguageSchema.omit({ names: true })
    .partial()
    .extend({ names: PlanLanguageSchema.shape.names.valueType.shape.items.optional() }),
  listed: ({ names }) => names ?? [],
  answer: async (ask, { names: kind }) => {
    const { names, ...language } = await ask(PlanLanguageSchema, {
      method: 'GET',
      path: '/api/analyst/plan-schema',
    });
    if (kind === undefined) return { ...ONE, truncated: false, data: language };
    const { items, truncated } = names[kind];
    return {
      total: items.length,
      totalIsExact: !truncated,
      returned: items.length,
      truncated,
      data: { names: items },
    };
  },
});
