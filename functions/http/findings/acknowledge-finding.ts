import { AcknowledgementSchema, acknowledge } from '../../../core/findings/acknowledge.ts';
import { FindingSchema } from '../../../core/findings/finding-list.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const acknowledgeFinding = endpoint({
  name: 'findings-acknowledge',
  method: 'POST',
  path: '/api/findings/{id}/acknowledge',
  summary: 'Say that a finding is known',
  description:
    'With a note where there is something to say. The finding stays in the list until it is mended at ' +
    'the source, and reopens should it become more severe. The same said again by the same person ' +
    'changes nothing. With `revision`, a finding that was judged anew meanwhile is refused.',
  access: can('finding.acknowledge'),
  transaction: 'write',
  params: IdParams,
  body: AcknowledgementSchema,
  response: FindingSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, visibility, params, body, audit, now }) =>
    acknowledge(tx, { principal, visibility, audit }, params.id, body, now),
});
