import { vocabularyOf } from '../../../core/analyst/answer.ts';
import { PlanLanguageSchema, planLanguage } from '../../../core/analyst/plan-language.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const readPlanSchema = endpoint({
  name: 'analyst-read-plan-schema',
  method: 'GET',
  path: '/api/analyst/plan-schema',
  summary: 'The plan language, and names that the caller may use',
  description:
    'Enough to write a plan for `POST /api/analyst/plan`: its fields, the forms of conditions, and at most 100 names of ' +
    'each kind with their ids. `version` rises when a plan that ran before is refused or means something else.',
  access: can('analyst.query'),
  transaction: 'none',
  response: PlanLanguageSchema,
  prepare: ({ runtime, principal, visibility }) => vocabularyOf(runtime, { principal, visibility }),
  handle: ({ prepared: vocabulary }) => planLanguage(vocabulary),
});
