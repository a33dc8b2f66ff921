import { AcknowledgementSchema, acknowledge } from '../../../core/findings/acknowledge.ts';
import { FindingSchema } from '../../../core/findings/finding-list.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const acknowledgeFinding = endpoint({
  name: 'findings-acknowledge',
  method: 'POST',
  path: '/api/findings/{id}/acknowledge',
  summary: 'Acknowledge a finding',
  description:
    'With an optional note. The finding stays in the list until it is resolved at the source, and reopens if ' +
    'it becomes more severe. The same acknowledgement by the same person changes nothing. With `revision`, a ' +
    'finding that was judged again since is refused, and the note of the caller can be replaced, or removed with null.',
  access: can('finding.acknowledge'),
  transaction: 'write',
  params: IdParams,
  body: AcknowledgementSchema,
  response: FindingSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, visibility, params, body, audit, now }) =>
    acknowledge(tx, { principal, visibility, audit }, params.id, body, now),
});
