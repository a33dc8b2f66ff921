import { can, endpoint } from '../../../core/http/endpoint.ts';
import { proposeRelease } from '../../../core/models/propose-release.ts';
import { ProposalSchema, ReleaseDetailSchema } from '../../../core/models/release-schema.ts';

export const propose = endpoint({
  name: 'models-propose-release',
  method: 'POST',
  path: '/api/models/releases/propose',
  summary: 'Propose other thresholds, boosts or weights',
  description:
    '`configPatch` changes what it names; the rest stays as it is in force. `weights`: `learn` has the evaluation fit the weights to the training side of the ' +
    'snapshot, `hand_set` drops learned ones, and `keep` leaves those in force. With `datasetSnapshotId`, the evaluation ' +
    'judges the held-out labels of that snapshot. A proposal that makes no sense is refused with the reason: thresholds ' +
    'out of order, nothing that would change, no label to evaluate on, few to learn from. Nothing changes before another person has approved the release and ' +
    'it is promoted.',
  access: can('model.release.propose'),
  transaction: 'write',
  body: ProposalSchema,
  response: ReleaseDetailSchema,
  errors: ['not_found'],
  handle: ({ tx, principal, visibility, body, audit, now }) =>
    proposeRelease(tx, { principal, audit, now }, visibility, body),
});
