import { TakeBackSchema, takeBack } from '../../../core/findings/acknowledge.ts';
import { FindingSchema } from '../../../core/findings/finding-list.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const takeBackAcknowledgement = endpoint({
  name: 'findings-take-back',
  method: 'POST',
  path: '/api/findings/{id}/take-back',
  summary: 'Take back the acknowledgement of a finding',
  description:
    'The finding is then `reopened`. To take back the acknowledgement of a colleague, name the `revision` that was read.',
  access: can('finding.acknowledge'),
  transaction: 'write',
  params: IdParams,
  body: TakeBackSchema,
  response: FindingSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, visibility, params, body, audit, now }) =>
    takeBack(tx, { principal, visibility, audit }, params.id, body, now),
});
