import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { setExpectation } from '../../../core/sources/scopes.sql.ts';

export const setSourceExpectation = endpoint({
  name: 'sources-set-expectation',
  method: 'POST',
  path: '/api/sources/{id}/expectation',
  summary: 'Set the domain that a scope is expected to hold',
  description: 'Null removes the expectation.',
  access: can('governance.taxonomy.admin'),
  transaction: 'write',
  params: IdParams,
  body: z.strictObject({ domainId: z.string().min(1).max(64).nullable() }),
  response: z.object({ scopeId: z.string(), domainId: z.string().nullable() }),
  handle: async ({ tx, params, body, audit }) => {
    await setExpectation(tx, params.id, body.domainId);
    audit({
      category: 'governance',
      type: 'scope_expectation_set',
      target: { kind: 'scope', id: params.id },
      details: { domainId: body.domainId },
    });
    return { scopeId: params.id, domainId: body.domainId };
  },
});
