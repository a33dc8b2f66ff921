import { z } from 'zod';
import { listLabels } from '../../../core/governance/labels.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 200;

export const listSensitivityLabels = endpoint({
  name: 'governance-list-labels',
  method: 'GET',
  path: '/api/governance/labels',
  summary: 'Sensitivity labels of the connected sources, the weakest first',
  access: can('governance.taxonomy.read'),
  transaction: 'read',
  response: listOf(z.object({ guid: z.string(), name: z.string(), rank: z.int() })),
  handle: async ({ tx }) => bounded(await listLabels(tx, LIMIT + 1), LIMIT),
});
