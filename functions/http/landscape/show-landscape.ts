import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { CellSchema, listCells } from '../../../core/landscape/cells.sql.ts';

const LIMIT = 400;

export const showLandscape = endpoint({
  name: 'landscape-show',
  method: 'GET',
  path: '/api/landscape',
  summary: 'Counts of assets for the landscape',
  description:
    `By domain, information type, scope, provenance, label state and risk severity: the largest ${LIMIT} ` +
    'cells of the domains of the caller. An asset counts once in each of its domains.',
  access: can('asset.metadata.read'),
  transaction: 'read',
  response: listOf(CellSchema),
  handle: async ({ tx, visibility }) => bounded(await listCells(tx, visibility, LIMIT + 1), LIMIT),
});
