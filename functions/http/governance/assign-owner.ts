import { z } from 'zod';
import { AssignmentRequestSchema, assignOwner, lookUpAssignee } from '../../../core/governance/owners.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const assignDomainOwner = endpoint({
  name: 'governance-assign-owner',
  method: 'POST',
  path: '/api/governance/owners',
  summary: 'Assign an owner, delegate or steward to a domain',
  description:
    'Names a person by `principalId`, or by `directoryId` if they may not be known to the service yet. A person ' +
    'who is not known is registered. A person without the role domain_owner is given it. Nobody gives a role to ' +
    'themself: another governance admin assigns you. The assignment counts from the next request of the person. ' +
    'With `attestationDays` they are asked to attest regularly.',
  access: can('governance.owner.assign'),
  transaction: 'write',
  body: AssignmentRequestSchema,
  response: z.object({ assignmentId: z.string(), principalId: z.string() }),
  errors: ['conflict', 'blocked_capability'],
  prepare: ({ runtime, principal, body }) => lookUpAssignee(runtime, principal.tenantId, body),
  handle: ({ tx, principal, audit, now, body, prepared }) =>
    assignOwner(tx, { principal, audit, now }, body, prepared),
});
