import { z } from 'zod';
import { answerPlan } from '../../../core/analyst/answer.ts';
import { AnswerSchema } from '../../../core/analyst/answer-schema.ts';
import { findPlan } from '../../../core/analyst/saved-plans.sql.ts';
import { withTx } from '../../../core/db/tx.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const runAnalystPlan = endpoint({
  name: 'analyst-run-plan',
  method: 'POST',
  path: '/api/analyst/plans/{id}/run',
  summary: 'Run a saved plan as the caller',
  access: can('analyst.query'),
  transaction: 'write',
  params: IdParams,
  response: z.object({ answer: AnswerSchema }),
  errors: ['not_found'],
  prepare: async ({ runtime, principal, visibility, params: { id: planId } }) => {
    const asker = { principal, visibility };
    const { plan } = await withTx(runtime.db, { tenantId: principal.tenantId, mode: 'read' }, (tx) =>
      findPlan(tx, asker, planId),
    );
    return answerPlan(runtime, asker, plan, 'deterministic');
  },
  handle: ({ prepared: answer, params: { id: planId }, audit }) => {
    audit({
      category: 'analyst',
      type: 'analyst_plan_run',
      target: { kind: 'analyst_plan', id: planId },
      details: { subject: answer.plan?.subject ?? null, count: answer.result?.count ?? null },
    });
    return { answer };
  },
});
