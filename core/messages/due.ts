import type { Config } from '../config/config.ts';
import type { ConnectorError } from '../connectors/connector.ts';
import { hash32 } from '../kernel/hash.ts';

const HOUR_MS = 3_600_000;
/** After a failure that named no time. */
const RETRY_MS = 60_000;

/**
 * Milliseconds until the next sync: about the hours of the setting, at a time of its own for each container, so that
 * not all are due at once.
 */
export function nextSyncInMs({ SVC_MESSAGE_SYNC_HOURS }: Config, containerId: string, now: number): number {
  const interval = SVC_MESSAGE_SYNC_HOURS * HOUR_MS;
  const earliest = now + interval / 2;
  const slot = hash32(containerId) % interval;
  return earliest - now + ((((slot - earliest) % interval) + interval) % interval);
}

const MAY_PASS: ReadonlySet<string> = new Set(['transient', 'throttled', 'auth']);

/** Milliseconds until the next attempt after a failure of the source, or our own (null). What does not pass waits for the next sync. */
export function retryInMs(failure: ConnectorError | null, nextSync: number): number {
  if (failure === null) return RETRY_MS;
  return failure.retryAfterMs ?? (MAY_PASS.has(failure.retryClass) ? RETRY_MS : nextSync);
}
