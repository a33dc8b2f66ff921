import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { DATASET_CANDIDATE_STATUSES } from '../../../core/models/dataset-candidate-states.ts';
import {
  DatasetCandidateSchema,
  listDatasetCandidates,
} from '../../../core/models/dataset-candidates.sql.ts';

const LIMIT = 200;

export const listAllDatasetCandidates = endpoint({
  name: 'models-list-dataset-candidates',
  method: 'GET',
  path: '/api/models/dataset-candidates',
  summary: 'Labels out of owners’ decisions',
  description:
    'The newest first. A decision that its owner marked `trainingEligible` becomes a candidate if it confirms a type ' +
    'or says *not a match*. A revised decision is left out, unless a snapshot contains it.',
  access: can('model.dataset.curate'),
  transaction: 'read',
  query: z.strictObject({ status: z.enum(DATASET_CANDIDATE_STATUSES).optional() }),
  response: listOf(DatasetCandidateSchema),
  handle: async ({ tx, query }) => bounded(await listDatasetCandidates(tx, query.status, LIMIT + 1), LIMIT),
});
