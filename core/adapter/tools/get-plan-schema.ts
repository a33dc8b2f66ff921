import { z } from 'zod';
import { PlanLanguageSchema } from '../../analyst/plan-language.ts';
import { NAME_KINDS } from '../../analyst/vocabulary.ts';
import { ONE } from '../page.ts';
import { tool } from '../tool.ts';

/** The words of a field are left out where its name says them. */
const FieldSchema = PlanLanguageSchema.shape.fields.element.extend({ means: z.string().nullable() });

export const getPlanSchema = tool({
  name: 'get_plan_schema',
  title: 'Read the plan language',
  description:
    'The language of plans for `run_plan`, or with `names` the ids and names of one kind that a plan may name.',
  effect: 'read',
  input: z.strictObject({ names: z.enum(NAME_KINDS).optional() }),
  data: PlanLanguageSchema.omit({ names: true })
    .partial()
    .extend({
      fields: z.array(FieldSchema).optional(),
      names: PlanLanguageSchema.shape.names.valueType.shape.items.optional(),
    }),
  listed: ({ names }) => names ?? [],
  answer: async (ask, { names: kind }) => {
    const { names, ...language } = await ask(PlanLanguageSchema, {
      method: 'GET',
      path: '/api/analyst/plan-schema',
    });
    if (kind === undefined) {
      const fields = language.fields.map((each) => ({
        ...each,
        means: each.means === each.field ? null : each.means,
      }));
      return { ...ONE, truncated: false, data: { ...language, fields } };
    }
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
