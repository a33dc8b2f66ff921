import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';
import { SnapshotSchema } from '../../../core/models/snapshot-schema.ts';
import { listSnapshots } from '../../../core/models/snapshots.sql.ts';

const LIMIT = 100;

export const listDatasets = endpoint({
  name: 'models-list-datasets',
  method: 'GET',
  path: '/api/models/datasets',
  summary: 'The snapshots of approved labels, the newest first',
  access: can('model.dataset.curate'),
  transaction: 'read',
  response: listOf(SnapshotSchema),
  handle: async ({ tx }) => bounded(await listSnapshots(tx, LIMIT + 1), LIMIT),
});
