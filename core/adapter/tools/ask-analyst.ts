import { z } from 'zod';
import { AnswerSchema, QuestionSchema } from '../../analyst/answer-schema.ts';
import { AnswerDataSchema, answerOf, listedRows, RowsArgument } from '../analyst-answer.ts';
import { Refused } from '../service.ts';
import { tool } from '../tool.ts';

export const askAnalyst = tool({
  name: 'ask_analyst',
  title: 'Ask the analyst',
  description:
    'Answers a question in plain English about the assets, findings, candidates, actions and scopes that the person may ' +
    'see, such as `how many unlabeled files in Finance`. A question with a word that it does not know is ' +
    'refused with what can be asked instead; then reword it, or write a plan for `run_plan`. `coverage` says what the ' +
    'answer does not know.',
  effect: 'read',
  input: z.strictObject({ question: QuestionSchema.shape.question, ...RowsArgument }),
  data: AnswerDataSchema,
  listed: listedRows,
  answer: async (ask, { question, rows }) => {
    const { answer } = await ask(z.object({ answer: AnswerSchema }), {
      method: 'POST',
      path: '/api/analyst/query',
      body: { question },
    });
    if (answer.plan === null) throw refusal(answer.understanding);
    return answerOf(answer, rows);
  },
});

/** A question that was not run is an error, so that nobody takes it for an answer of nothing. */
function refusal({
  understood,
  ignored,
  suggestions,
}: z.infer<typeof AnswerSchema>['understanding']): Refused {
  const said = (what: string, each: readonly string[]) =>
    each.length === 0 ? [] : [{ path: 'question', message: `${what}: ${each.join('; ')}` }];
  return new Refused({
    error: 'validation_failed',
    message: 'The question was not understood as a whole, so nothing was looked up. This is no answer.',
    issues: [
      ...said('Not understood', ignored),
      ...said('Understood', understood),
      ...said('Can be asked', suggestions),
    ],
  });
}
