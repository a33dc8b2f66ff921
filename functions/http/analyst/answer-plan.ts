import { z } from 'zod';
import { answerPlan, auditedAnswer } from '../../../core/analyst/answer.ts';
import { AnswerSchema } from '../../../core/analyst/answer-schema.ts';
import { PlanSchema } from '../../../core/analyst/plan.ts';
import { PLAN_VERSION } from '../../../core/analyst/plan-language.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const answerTypedPlan = endpoint({
  name: 'analyst-answer-plan',
  method: 'POST',
  path: '/api/analyst/plan',
  summary: 'Answer a typed plan as the analyst answers a question',
  description:
    'Runs a plan that a person, a screen or an assistant wrote. `GET /api/analyst/plan-schema` has its schema and the ' +
    'ids that it may name. The plan runs within what the caller may see, and is shown in words. It is not kept in the ' +
    'history, which holds questions.',
  access: can('analyst.query'),
  transaction: 'write',
  body: z.strictObject({ version: z.literal(PLAN_VERSION).default(PLAN_VERSION), plan: PlanSchema }),
  response: z.object({ answer: AnswerSchema }),
  prepare: ({ runtime, principal, visibility, body: { plan } }) =>
    answerPlan(runtime, { principal, visibility }, plan, 'deterministic'),
  handle: ({ prepared: answer, audit }) => {
    audit({
      category: 'analyst',
      type: 'analyst_queried',
      details: auditedAnswer(answer),
    });
    return { answer };
  },
});
