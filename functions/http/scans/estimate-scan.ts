import { ScanRequestSchema } from '../../../core/campaigns/campaign-schema.ts';
import { estimateScan } from '../../../core/estimates/estimate-scan.ts';
import { EstimateSchema } from '../../../core/estimates/estimate-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const estimateScanEndpoint = endpoint({
  name: 'scans-estimate',
  method: 'POST',
  path: '/api/scans/estimate',
  summary: 'What a scan would take, before it starts',
  description:
    'Lists at most 25 pages of the source within 8 seconds, and reads no content. Each figure is a range with its basis ' +
    'and how sure it is. Where nothing says how much, `high` is null, and `missing` says why. If all pages were listed, ' +
    'the figures are counted. Otherwise they are extrapolated: with the number of assets of the last whole scan they may be ' +
    'off by a factor of two, with the counter of the source by three. After an update of the service, contents may be ' +
    'read again that the estimate takes for read.',
  access: can('scan.job.create'),
  transaction: 'write',
  body: ScanRequestSchema,
  response: EstimateSchema,
  errors: ['not_found', 'blocked_capability'],
  prepare: ({ runtime, principal, body }) =>
    estimateScan(runtime, principal.tenantId, body, runtime.stopping),
  handle: ({ body, prepared, audit }) => {
    const { sample } = prepared;
    audit({
      category: 'scan',
      type: 'scan_estimated',
      target: { kind: 'scope', id: body.scopeId },
      details: { kind: body.kind, narrowed: body.only !== undefined, pages: sample?.pages ?? 0 },
    });
    return prepared;
  },
});
