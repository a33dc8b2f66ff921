import { z } from 'zod';
import { AssignmentRequestSchema, assignOwner } from '../../../core/governance/owners.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const assignDomainOwner = endpoint({
  name: 'governance-assign-owner',
  method: 'POST',
  path: '/api/governance/owners',
  summary: 'Assign an owner, delegate or steward to a domain',
  description:
    'The person needs the role domain_owner. The assignment counts from their next request. With ' +
    '`attestationDays` they are asked to attest regularly.',
  access: can('governance.owner.assign'),
  transaction: 'write',
  body: AssignmentRequestSchema,
  response: z.object({ assignmentId: z.string() }),
  errors: ['conflict'],
  handle: ({ tx, principal, audit, now, body }) => assignOwner(tx, { principal, audit, now }, body),
});
