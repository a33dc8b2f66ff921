import { z } from 'zod';
import { answerByAi, answerQuestion, auditedAnswer } from '../../../core/analyst/answer.ts';
import { AnswerSchema, QuestionSchema } from '../../../core/analyst/answer-schema.ts';
import { keepQuery } from '../../../core/analyst/history.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const askAnalyst = endpoint({
  name: 'analyst-query',
  method: 'POST',
  path: '/api/analyst/query',
  summary: 'Answer a question about the caller’s domains',
  description:
    'The question becomes a plan, which is shown in words and run within what the caller may see. A question that is ' +
    'not understood as a whole is not run: `understanding` says what was understood, what was not, and what can be ' +
    'asked instead. `coverage` says how complete the data behind the answer is. The planner `ai` asks ' +
    'the AI provider for the plan. It answers `blocked_capability` if none is configured, or its plan is not valid.',
  access: can('analyst.query'),
  transaction: 'write',
  body: QuestionSchema,
  response: z.object({ answer: AnswerSchema }),
  errors: ['blocked_capability'],
  prepare: ({ runtime, principal, visibility, body: { question, planner } }) => {
    const answer = planner === 'ai' ? answerByAi : answerQuestion;
    return answer(runtime, { principal, visibility }, question, runtime.clock());
  },
  handle: async ({ tx, principal, body: { question, planner }, prepared: answer, audit, now }) => {
    const queryId = await keepQuery(tx, principal.principalId, { question, planner, answer }, now);
    audit({
      category: 'analyst',
      type: 'analyst_queried',
      target: { kind: 'analyst_query', id: queryId },
      details: auditedAnswer(answer),
    });
    return { answer };
  },
});
