import { z } from 'zod';
import { AttestationSchema } from '../../../core/governance/attestation.ts';
import { attestOwnership } from '../../../core/governance/owners.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const attestDomainOwnership = endpoint({
  name: 'governance-attest-ownership',
  method: 'POST',
  path: '/api/governance/owners/{id}/attest',
  summary: 'Attest that an assigned domain is still yours',
  description: 'The next date is counted from now.',
  access: can('governance.owner.attest'),
  transaction: 'write',
  params: IdParams,
  response: z.object({ assignmentId: z.string(), attestation: AttestationSchema }),
  handle: ({ tx, principal, audit, now, params }) =>
    attestOwnership(tx, { principal, audit, now }, params.id),
});
