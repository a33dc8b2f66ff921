import { z } from 'zod';
import { answerPlan } from '../../../core/analyst/answer.ts';
import { answerCsv } from '../../../core/analyst/answer-csv.ts';
import { PlanSchema } from '../../../core/analyst/plan.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { ServiceError } from '../../../core/kernel/errors.ts';

export const exportAnswer = endpoint({
  name: 'analyst-export-answer',
  method: 'POST',
  path: '/api/analyst/csv',
  summary: 'The rows, groups or number of a plan as CSV',
  description:
    'Runs the `plan` of an answer again as the caller: its groups, its number, or at most 200 rows. An apostrophe precedes text ' +
    'that a spreadsheet might take for a formula.',
  access: can('analyst.query'),
  transaction: 'write',
  body: z.strictObject({ plan: PlanSchema }),
  produces: 'text/csv',
  errors: ['overloaded'],
  prepare: ({ runtime, principal, visibility, body: { plan } }) =>
    answerPlan(runtime, { principal, visibility }, plan, 'deterministic'),
  handle: ({ prepared: { result }, body: { plan }, audit, now }) => {
    if (result === null) throw new ServiceError('overloaded', 'The plan took too long. Narrow it.');
    audit({
      category: 'analyst',
      type: 'analyst_exported',
      details: { subject: plan.subject, count: result.count },
    });
    return {
      contentType: 'text/csv; charset=utf-8',
      fileName: `answer-${new Date(now).toISOString().slice(0, 10)}.csv`,
      body: answerCsv(plan, result),
    };
  },
});
