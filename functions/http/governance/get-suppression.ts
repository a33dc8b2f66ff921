import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { shownSuppression } from '../../../core/suppressions/change-suppression.ts';
import { SuppressionSchema } from '../../../core/suppressions/suppression-schema.ts';

export const getSuppression = endpoint({
  name: 'governance-get-suppression',
  method: 'GET',
  path: '/api/governance/suppressions/{id}',
  summary: 'One suppression',
  access: can('governance.suppression.read'),
  transaction: 'read',
  params: IdParams,
  response: SuppressionSchema,
  handle: ({ tx, visibility, params }) => shownSuppression(tx, visibility, params.id),
});
