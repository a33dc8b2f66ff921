import { z } from 'zod';
import { withTx } from '../../../core/db/tx.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { tryRequest, usedTaxonomy } from '../../../core/suppressions/dry-run.ts';
import { proposeSuppression, ruleOf } from '../../../core/suppressions/propose-suppression.ts';
import {
  DryRunSchema,
  NoEffectSchema,
  SuppressionRequestSchema,
  SuppressionSchema,
} from '../../../core/suppressions/suppression-schema.ts';

export const createSuppression = endpoint({
  name: 'governance-create-suppression',
  method: 'POST',
  path: '/api/governance/suppressions',
  summary: 'Say what is no identifier, or try it',
  description:
    'A rule for a domain that the caller owns is active at once. Any other rule waits for the approval of another ' +
    'person. A rule of a domain changes no asset that is also of another domain. With `dryRun` nothing is stored. If the rule changes no asset now, ' +
    '`noEffect` says why. A rule of a domain about a scope that another domain governs is refused.',
  access: can('governance.suppression.create'),
  transaction: 'write',
  body: SuppressionRequestSchema,
  response: z.object({
    suppression: SuppressionSchema.nullable(),
    noEffect: NoEffectSchema.nullable().describe('Of a stored rule: why it changes no asset now'),
    dryRun: DryRunSchema.nullable(),
  }),
  errors: ['conflict', 'not_found', 'blocked_capability'],
  prepare: async ({ runtime, principal, body }) => {
    if (!body.dryRun) return null;
    const { tenantId } = principal;
    // Refused before the provider is asked.
    await withTx(runtime.db, { tenantId, mode: 'write' }, (tx) =>
      ruleOf(tx, principal, body, runtime.clock()),
    );
    return usedTaxonomy(runtime, tenantId);
  },
  handle: async ({ runtime, tx, principal, audit, now, correlationId, afterCommit, body, prepared }) => {
    const by = { principal, audit, now, origin: { createdBy: principal.principalId, correlationId } };
    if (prepared !== null)
      return { suppression: null, noEffect: null, dryRun: await tryRequest(tx, by, body, prepared) };
    // Assets may wait for a rescore.
    ringAfterCommit({ runtime, afterCommit });
    return { ...(await proposeSuppression(tx, by, body)), dryRun: null };
  },
});
