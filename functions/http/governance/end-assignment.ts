import { z } from 'zod';
import { endAssignment } from '../../../core/governance/owners.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const endOwnerAssignment = endpoint({
  name: 'governance-end-assignment',
  method: 'POST',
  path: '/api/governance/owners/{id}/end',
  summary: 'End an assignment',
  description:
    'Also ends the last assignment of a domain. The next request of the person no longer sees the domain.',
  access: can('governance.owner.assign'),
  transaction: 'write',
  params: IdParams,
  response: z.object({ assignmentId: z.string(), endedAt: z.iso.datetime() }),
  handle: ({ tx, principal, audit, now, params }) => endAssignment(tx, { principal, audit, now }, params.id),
});
