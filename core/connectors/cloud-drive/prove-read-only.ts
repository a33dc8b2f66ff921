import { ConnectorError } from '../connector.ts';
import { blocked, OK, type Probed } from '../probe.ts';
import type { CloudDriveOptions } from './drive-connector.ts';
import { delegatedTokens, WRITES } from './service-account.ts';

/**
 * Proves that the service account may read and may not write: a token for reading is granted, and one for writing is refused
 * since nobody delegated it. Throws `ConnectorError` if there is no answer.
 */
export async function proveReadOnly(
  options: Pick<CloudDriveOptions, 'cloud' | 'keyNow' | 'count' | 'admin'>,
  signal: AbortSignal,
): Promise<Probed> {
  await delegatedTokens(options, options.admin).token(signal);
  try {
    await delegatedTokens(options, options.admin, WRITES).token(signal);
  } catch (error) {
    const isNotDelegated =
      error instanceof ConnectorError && error.safeDiagnostic === 'cloud_drive_token_not_delegated';
    if (isNotDelegated) return OK;
    throw error;
  }
  return blocked('login_can_write');
}
