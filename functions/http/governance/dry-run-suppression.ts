import { withTx } from '../../../core/db/tx.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { shownSuppression } from '../../../core/suppressions/change-suppression.ts';
import { tryStored, usedTaxonomy } from '../../../core/suppressions/dry-run.ts';
import { DryRunSchema } from '../../../core/suppressions/suppression-schema.ts';

export const dryRunSuppression = endpoint({
  name: 'governance-dry-run-suppression',
  method: 'POST',
  path: '/api/governance/suppressions/{id}/dry-run',
  summary: 'What a suppression changes, or would change',
  description: 'Compares the assets with and without the rule. Changes nothing.',
  access: can('governance.suppression.create'),
  transaction: 'write',
  params: IdParams,
  response: DryRunSchema,
  errors: ['blocked_capability'],
  prepare: async ({ runtime, principal: { tenantId }, visibility, params }) => {
    // Refused before the provider is asked.
    await withTx(runtime.db, { tenantId, mode: 'read' }, (tx) => shownSuppression(tx, visibility, params.id));
    return usedTaxonomy(runtime, tenantId);
  },
  handle: ({ tx, principal, visibility, audit, now, params, prepared }) =>
    tryStored(tx, { principal, audit, now }, visibility, params.id, prepared),
});
