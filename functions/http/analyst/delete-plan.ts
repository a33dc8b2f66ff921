import { z } from 'zod';
import { deletePlan } from '../../../core/analyst/saved-plans.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const deleteAnalystPlan = endpoint({
  name: 'analyst-delete-plan',
  method: 'DELETE',
  path: '/api/analyst/plans/{id}',
  summary: 'Delete one of the caller’s own saved plans',
  access: can('analyst.query'),
  transaction: 'write',
  params: IdParams,
  response: z.object({ planId: z.string() }),
  errors: ['not_found'],
  handle: async ({ tx, principal, params: { id: planId }, audit }) => {
    await deletePlan(tx, principal.principalId, planId);
    audit({
      category: 'analyst',
      type: 'analyst_plan_deleted',
      target: { kind: 'analyst_plan', id: planId },
    });
    return { planId };
  },
});
