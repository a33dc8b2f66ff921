import { z } from 'zod';
import { retryClassOfStatus } from '../../kernel/http-failure.ts';
import type { ScopeRefusal } from '../../kernel/vocabulary.ts';
import { ScopeRefused } from '../connector.ts';
import type { AllowedCall } from './allowed-calls.ts';
import type { GraphClient } from './graph-client.ts';

/**
 * The statuses with which Graph refuses a site, a library or a channel, whatever is asked of it: 400 for an id that cannot be one,
 * 423 for a site that is locked or archived.
 */
export const REFUSED = [400, 403, 404, 410, 423] as const;
export type RefusedStatus = (typeof REFUSED)[number];

export function scopeRefusalOf(status: RefusedStatus): ScopeRefusal {
  switch (status) {
    case 400:
      return 'malformed_id';
    case 403:
      return 'denied';
    case 404:
    case 410:
      return 'not_found';
    case 423:
      return 'locked';
  }
}

export const scopeRefused = (call: AllowedCall, status: RefusedStatus): ScopeRefused =>
  new ScopeRefused(scopeRefusalOf(status), `graph_${call}_${status}`, retryClassOfStatus(status));

/**
 * Throws `ScopeRefused` if Graph refuses the library. Tells a refused item from an item of a refused library, which are
 * answered alike.
 */
export async function assertServed(client: GraphClient, driveId: string, signal: AbortSignal): Promise<void> {
  const options = { query: { $select: 'id' }, schema: z.unknown(), expect: REFUSED, signal };
  const answer = await client.batched('drive', { driveId }, options);
  if (!answer.ok) throw scopeRefused('drive', answer.status);
}
