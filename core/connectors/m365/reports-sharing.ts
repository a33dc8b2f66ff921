import { z } from 'zod';
import { ConnectorError } from '../connector.ts';
import type { GraphClient } from './graph-client.ts';

/** What Graph answers to an application without the permission, or in a tenant where the call does not work. */
const REFUSALS = [400, 401, 403, 404, 405, 410, 423, 501] as const;

/**
 * Whether the feeds of libraries report changes of sharing. They do to applications with `Sites.FullControl.All` alone, and
 * this call has no other permission either.
 */
export async function reportsSharing(client: GraphClient, signal: AbortSignal): Promise<boolean> {
  const { ok } = await client.call(
    'site_permissions',
    {},
    {
      query: { $top: 1 },
      schema: z.looseObject({}),
      expect: REFUSALS,
      signal,
    },
  );
  return ok;
}

/** The same for a delta, which needs no answer: without one, sharing counts as not reported. */
export async function surelyReportsSharing(client: GraphClient, signal: AbortSignal): Promise<boolean> {
  try {
    return await reportsSharing(client, signal);
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.retryClass === 'throttled') throw error;
    return false;
  }
}
