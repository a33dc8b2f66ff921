import { z } from 'zod';
import { scanStarted, startScan } from '../../../core/campaigns/start-scan.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';

export const startScanEndpoint = endpoint({
  name: 'scans-start',
  method: 'POST',
  path: '/api/scans',
  summary: 'Start an inventory or delta scan of one scope',
  access: can('scan.job.create'),
  transaction: 'write',
  body: z.strictObject({ scopeId: z.string().min(1).max(64), kind: z.enum(['inventory', 'delta']) }),
  response: z.object({ campaignId: z.string() }),
  errors: ['not_found', 'conflict', 'blocked_capability'],
  handle: async ({ runtime, tx, principal, body, audit, now, correlationId, afterCommit }) => {
    const campaignId = await startScan(runtime, tx, {
      ...body,
      createdBy: principal.principalId,
      correlationId,
      now,
    });
    audit(scanStarted(campaignId, body));
    afterCommit(() => runtime.doorbell?.ring(1, 0) ?? Promise.resolve());
    return { campaignId };
  },
});
