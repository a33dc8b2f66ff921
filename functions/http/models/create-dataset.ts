import { can, endpoint } from '../../../core/http/endpoint.ts';
import { createSnapshot } from '../../../core/models/create-snapshot.ts';
import { SnapshotRequestSchema, SnapshotSchema } from '../../../core/models/snapshot-schema.ts';

export const createDataset = endpoint({
  name: 'models-create-dataset',
  method: 'POST',
  path: '/api/models/datasets',
  summary: 'Take a snapshot of the approved labels',
  description:
    'Splits the labels into training and held out; `evalFraction` is the share that is held out. Labels of one asset, ' +
    'of byte-identical copies and of near-duplicates stay on one side. A snapshot never changes. It takes the 5,000 ' +
    'newest approved labels whose decisions are in force. Without labels of at least two such groups the answer is 409. ' +
    '`warnings` says what limits its use.',
  access: can('model.dataset.curate'),
  transaction: 'write',
  body: SnapshotRequestSchema,
  response: SnapshotSchema,
  errors: ['conflict'],
  handle: ({ tx, principal, body, audit, now }) => createSnapshot(tx, { principal, audit, now }, body),
});
