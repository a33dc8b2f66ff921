import { NewPlanSchema, SavedPlanSchema, savePlan } from '../../../core/analyst/saved-plans.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const saveAnalystPlan = endpoint({
  name: 'analyst-save-plan',
  method: 'POST',
  path: '/api/analyst/plans',
  summary: 'Save a plan under a name',
  description:
    'A shared plan is visible to everyone with this capability who may see at least the domains that its author saw when ' +
    'it was saved. It runs as the person who opens it.',
  access: can('analyst.query'),
  transaction: 'write',
  body: NewPlanSchema,
  response: SavedPlanSchema,
  errors: ['conflict'],
  handle: async ({ tx, principal, visibility, body, audit, now }) => {
    const saved = await savePlan(tx, { principal, visibility }, body, now);
    audit({
      category: 'analyst',
      type: 'analyst_plan_saved',
      target: { kind: 'analyst_plan', id: saved.planId },
      details: { subject: saved.plan.subject, shared: saved.shared },
    });
    return saved;
  },
});
