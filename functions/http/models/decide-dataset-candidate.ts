import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { CURATIONS } from '../../../core/models/dataset-candidate-states.ts';
import { curate, DatasetCandidateSchema } from '../../../core/models/dataset-candidates.sql.ts';

export const decideDatasetCandidate = endpoint({
  name: 'models-decide-dataset-candidate',
  method: 'POST',
  path: '/api/models/dataset-candidates/{id}/decide',
  summary: 'Approve or reject a pending dataset candidate',
  description: 'Only approved candidates become part of a snapshot. The decision is final.',
  access: can('model.dataset.curate'),
  transaction: 'write',
  params: IdParams,
  body: z.strictObject({ decision: z.enum(CURATIONS) }),
  response: DatasetCandidateSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, params, body, audit, now }) =>
    curate(tx, { principal, audit, now }, params.id, body.decision),
});
