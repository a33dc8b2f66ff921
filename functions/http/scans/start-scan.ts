import { ScanRequestSchema, StartedScanSchema } from '../../../core/campaigns/campaign-schema.ts';
import { type ScanRefusal, scanStarted, startScan } from '../../../core/campaigns/start-scan.ts';
import type { Config } from '../../../core/config/config.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { scopeNotSelected } from '../../../core/integrations/configured-sources.ts';
import { sourceBlocked } from '../../../core/integrations/connector-for.ts';
import { notFound, ServiceError, validationFailed } from '../../../core/kernel/errors.ts';
import { licenseRequired } from '../../../core/licensing/license-state.ts';

export const startScanEndpoint = endpoint({
  name: 'scans-start',
  method: 'POST',
  path: '/api/scans',
  summary: 'Start an inventory or delta scan of one scope',
  access: can('scan.job.create'),
  transaction: 'write',
  body: ScanRequestSchema,
  response: StartedScanSchema,
  errors: ['license_required', 'not_found', 'conflict', 'blocked_capability'],
  handle: async ({ runtime, tx, principal, body, audit, now, correlationId, afterCommit }) => {
    const scan = { ...body, createdBy: principal.principalId, correlationId, now };
    const scanned = await startScan(runtime, tx, scan);
    if ('refused' in scanned) throw refusal(runtime.config, scanned.refused);
    const campaignId = scanned.started;
    audit(scanStarted(campaignId, body));
    ringAfterCommit({ runtime, afterCommit });
    return { campaignId };
  },
});

function refusal(config: Config, refused: ScanRefusal): ServiceError {
  switch (refused.reason) {
    case 'no_scope':
      return notFound();
    case 'license_required':
      return licenseRequired(refused.because);
    case 'source_blocked':
      return sourceBlocked(refused.family, refused.block);
    case 'not_selected':
      return scopeNotSelected(config, refused.family);
    case 'no_inventory':
      return validationFailed([{ path: 'kind', message: 'Run an inventory of this scope first.' }]);
    case 'scan_already_active': {
      // Naming the other scan is safe, because everyone who may start a scan may see all scans.
      const which = refused.campaignId === null ? '' : `: ${refused.campaignId}`;
      return new ServiceError(
        'conflict',
        `A scan of this scope is already pending, running or paused${which}.`,
      );
    }
  }
}
