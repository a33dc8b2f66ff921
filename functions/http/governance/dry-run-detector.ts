import { DryRunSchema, dryRunDetector } from '../../../core/governance/custom-detectors.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';

export const dryRunCustomDetector = endpoint({
  name: 'governance-dry-run-detector',
  method: 'POST',
  path: '/api/governance/detectors/{id}/dry-run',
  summary: 'Dry-run the newest version of a custom detector',
  description:
    'Runs over the examples of the built-in detectors and over the retained redacted excerpts. Returns counts ' +
    'only. Assets are counted in tens; fewer than ten are not reported.',
  access: can('governance.taxonomy.admin'),
  transaction: 'write',
  params: IdParams,
  response: DryRunSchema,
  handle: ({ tx, principal, audit, now, params }) => dryRunDetector(tx, { principal, audit, now }, params.id),
});
