import { z } from 'zod';
import { listLabels } from '../../../core/governance/labels.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { SOURCE_FAMILIES } from '../../../core/kernel/vocabulary.ts';

const LIMIT = 200;

export const listSensitivityLabels = endpoint({
  name: 'governance-list-labels',
  method: 'GET',
  path: '/api/governance/labels',
  summary: 'Sensitivity labels of each source family, the weakest first',
  access: can('governance.taxonomy.read'),
  transaction: 'read',
  response: listOf(
    z.object({
      guid: z.string(),
      family: z.enum(SOURCE_FAMILIES).nullable(),
      name: z.string(),
      rank: z.int(),
    }),
  ),
  handle: async ({ tx }) => bounded(await listLabels(tx, LIMIT + 1), LIMIT),
});
