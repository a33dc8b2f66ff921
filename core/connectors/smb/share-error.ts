import { ConnectorError, ScopeRefused } from '../connector.ts';

const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG']);
const DENIED = new Set(['EACCES', 'EPERM']);

export type Refusal = 'gone' | 'denied' | 'failed';

/** Why the file system refused: the entry does not exist, access is denied, or the device or network failed. */
export function refusalOf(error: unknown): Refusal {
  const code = errnoOf(error);
  if (GONE.has(code)) return 'gone';
  return DENIED.has(code) ? 'denied' : 'failed';
}

/**
 * The delay before the next attempt at an unreachable share, in milliseconds. A server or network usually returns
 * within the few attempts of a unit if they are this far apart. The ordinary back-off would use them up within
 * seconds.
 */
const AWAY_MS = 30_000;

/** A share that is not mounted may come back, so it is never `not_found`. */
export const shareAway = (
  retryClass: 'transient' | 'auth',
  safeDiagnostic: 'share_unreachable' | 'share_empty' | 'share_denied',
): ScopeRefused =>
  new ScopeRefused(
    safeDiagnostic === 'share_denied' ? 'denied' : 'unreachable',
    safeDiagnostic,
    retryClass,
    AWAY_MS,
  );

/** What this process lacks, whatever it reads: memory and handles. */
const OWN = new Set(['ENOMEM', 'EMFILE', 'ENFILE']);

/**
 * Maps a failure of the device or network, which is how an unreachable mounted share often appears. Only the code is
 * kept, because the message of a file-system error contains the path. What is no failure of the share stays as it is:
 * a bug of the service too.
 */
export function ioFailure(error: unknown): unknown {
  if (error instanceof ConnectorError || OWN.has(errnoOf(error)) || isBug(error)) return error;
  return new ConnectorError('transient', `share_io_${errnoOf(error).toLowerCase()}`, AWAY_MS);
}

/** The file system throws none of these without a code. */
const isBug = (error: unknown): boolean =>
  (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) &&
  errnoOf(error) === 'UNKNOWN';

export function errnoOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? code : 'UNKNOWN';
}
