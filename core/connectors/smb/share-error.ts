import { ConnectorError } from '../connector.ts';

const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG']);
const DENIED = new Set(['EACCES', 'EPERM']);

export type Refusal = 'gone' | 'denied' | 'failed';

/** Why the file system refused: the entry is not there, we may not, or the device or network failed. */
export function refusalOf(error: unknown): Refusal {
  const code = errnoOf(error);
  if (GONE.has(code)) return 'gone';
  return DENIED.has(code) ? 'denied' : 'failed';
}

/**
 * Asked for before the next attempt at a share that is away: a server restarts or a network comes back within the
 * few attempts of a unit, and not within the seconds that the ordinary back-off would spend on them.
 */
const AWAY_MS = 30_000;

export const shareAway = (
  retryClass: 'transient' | 'auth',
  safeDiagnostic: 'share_unreachable' | 'share_empty' | 'share_denied',
): ConnectorError => new ConnectorError(retryClass, safeDiagnostic, AWAY_MS);

/**
 * A failure of the device or network, which is how a mounted share that is away often shows. The message of a
 * file-system error holds its path: only the code goes on.
 */
export function ioFailure(error: unknown): ConnectorError {
  if (error instanceof ConnectorError) return error;
  return new ConnectorError('transient', `share_io_${errnoOf(error).toLowerCase()}`, AWAY_MS);
}

function errnoOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? code : 'UNKNOWN';
}
