import { ScanRequestSchema, StartedScanSchema } from '../../../core/campaigns/campaign-schema.ts';
import { scanRefused } from '../../../core/campaigns/scan-refused.ts';
import { scanStarted, startScan } from '../../../core/campaigns/start-scan.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';

export const startScanEndpoint = endpoint({
  name: 'scans-start',
  method: 'POST',
  path: '/api/scans',
  summary: 'Start an inventory or delta scan of one scope',
  description:
    '`only` narrows an inventory to folders, formats, sizes and ages: all that is given must hold of an item, and what is ' +
    'not known of an item leaves it in. The whole scope is listed, and only these items are read. Such a scan ends no ' +
    'asset, and neither coverage nor cursor of the scope change. The rules of `PUT /api/admin/scan-rules` hold of every scan.',
  access: can('scan.job.create'),
  transaction: 'write',
  body: ScanRequestSchema,
  response: StartedScanSchema,
  location: ({ campaignId }) => `/api/scans/${campaignId}`,
  errors: ['license_required', 'not_found', 'conflict', 'blocked_capability'],
  handle: async ({ runtime, tx, principal, body, audit, now, correlationId, afterCommit }) => {
    const scan = { ...body, createdBy: principal.principalId, correlationId, now };
    const scanned = await startScan(runtime, tx, scan);
    if ('refused' in scanned) throw scanRefused(runtime.config, scanned.refused);
    const campaignId = scanned.started;
    audit(scanStarted(campaignId, body));
    ringAfterCommit({ runtime, afterCommit });
    return { campaignId };
  },
});
