import type { Config } from '../config/config.ts';
import { scopeNotSelected } from '../integrations/configured-sources.ts';
import { sourceBlocked } from '../integrations/connector-for.ts';
import { notFound, ServiceError, validationFailed } from '../kernel/errors.ts';
import { licenseRequired } from '../licensing/license-state.ts';
import type { ScanRefusal } from './start-scan.ts';

/** The error of a request for a scan that is refused, or for the estimate of one. */
export function scanRefused(config: Config, refused: ScanRefusal): ServiceError {
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
