import { z } from 'zod';
import { AttestationSchema } from '../../../core/governance/attestation.ts';
import { AssignmentChangeSchema, changeAttestationDays } from '../../../core/governance/owners.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const changeOwnerAssignment = endpoint({
  name: 'governance-change-assignment',
  method: 'PATCH',
  path: '/api/governance/owners/{id}',
  summary: 'Change how often an owner attests',
  access: can('governance.owner.assign'),
  transaction: 'write',
  params: IdParams,
  body: AssignmentChangeSchema,
  response: z.object({
    assignmentId: z.string(),
    attestationDays: z.int().nullable(),
    attestation: AttestationSchema,
  }),
  handle: ({ tx, principal, audit, now, params, body }) =>
    changeAttestationDays(tx, { principal, audit, now }, params.id, body.attestationDays),
});
