import { z } from 'zod';
import { AnswerSchema, QuestionSchema } from '../../analyst/answer-schema.ts';
import { tool } from '../tool.ts';

const MAX_ROWS = 50;

export const askAnalyst = tool({
  name: 'ask_analyst',
  title: 'Ask the analyst',
  description:
    'Answers a question in plain English about the assets, findings, candidates, actions and scopes of the person’s own ' +
    'domains, such as `how many unlabeled assets have payment cards?`. It is run only if it is understood as a whole; ' +
    '`understanding` says what was not, and what can be asked instead. `coverage` says what the answer does not know.',
  effect: 'read',
  input: z.strictObject({ question: QuestionSchema.shape.question }),
  data: AnswerSchema.omit({ planner: true, plan: true }),
  answer: async (ask, { question }) => {
    const { answer } = await ask(z.object({ answer: AnswerSchema }), {
      method: 'POST',
      path: '/api/analyst/query',
      body: { question },
    });
    const { result } = answer;
    const rows = result?.rows.slice(0, MAX_ROWS) ?? [];
    const groups = result?.groups ?? null;
    return {
      total: result?.count ?? 0,
      totalIsExact: result !== null && result.count !== null && answer.coverage.isWhole,
      returned: rows.length,
      truncated:
        result !== null &&
        (result.truncated || rows.length < result.rows.length || groups?.truncated === true),
      data: { ...answer, result: result && { ...result, rows } },
    };
  },
});
