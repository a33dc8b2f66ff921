import { z } from 'zod';
import { AnswerSchema } from '../../analyst/answer-schema.ts';
import { AnswerDataSchema, answerOf, listedRows, RowsArgument } from '../analyst-answer.ts';
import { tool } from '../tool.ts';

export const runPlan = tool({
  name: 'run_plan',
  title: 'Run a plan of the analyst',
  description:
    'Answers a typed plan as `ask_analyst` answers a question. Read `get_plan_schema` first: it has the language and the ' +
    'ids. Check `interpretation`, which is the plan in words, before you report.',
  effect: 'read',
  input: z.strictObject({
    plan: z.record(z.string(), z.unknown()).describe('See `get_plan_schema`'),
    ...RowsArgument,
  }),
  data: AnswerDataSchema,
  listed: listedRows,
  answer: async (ask, { plan, rows }) => {
    const { answer } = await ask(z.object({ answer: AnswerSchema }), {
      method: 'POST',
      path: '/api/analyst/plan',
      body: { plan },
    });
    return answerOf(answer, rows);
  },
});
