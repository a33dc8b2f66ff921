import { DryRunSchema, dryRunDetector } from '../../../core/governance/custom-detectors.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const dryRunCustomDetector = endpoint({
  name: 'governance-dry-run-detector',
  method: 'POST',
  path: '/api/governance/detectors/{id}/dry-run',
  summary: 'Try the newest version of a declared detector',
  description:
    'It runs over the examples of the built-in ones and over the redacted excerpts that are retained. ' +
    'Answers counts only, of assets in tens; fewer than ten are not told.',
  access: can('governance.taxonomy.admin'),
  transaction: 'write',
  params: IdParams,
  response: DryRunSchema,
  handle: ({ tx, principal, audit, now, params }) => dryRunDetector(tx, { principal, audit, now }, params.id),
});
