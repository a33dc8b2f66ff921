import { listPlans, SavedPlanSchema } from '../../../core/analyst/saved-plans.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 200;

export const listAnalystPlans = endpoint({
  name: 'analyst-list-plans',
  method: 'GET',
  path: '/api/analyst/plans',
  summary: 'Saved plans that the caller may see, by name',
  access: can('analyst.query'),
  transaction: 'read',
  response: listOf(SavedPlanSchema),
  handle: async ({ tx, principal, visibility }) =>
    bounded(await listPlans(tx, { principal, visibility }, LIMIT + 1), LIMIT),
});
