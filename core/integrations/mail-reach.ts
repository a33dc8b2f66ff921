import { ConnectorError } from '../connectors/connector.ts';
import { readsAllMailboxes } from '../connectors/mail/reach.ts';
import type { SourceParts } from './connector-for.ts';
import { missingFor } from './integrations.ts';

/** A token is kept for an hour, so it is rarely waited for. */
const WITHIN_MS = 2_000;

/** Whether mail is live with a credential that may read all mailboxes. False if its token cannot be had in two seconds. */
export async function isMailReachTooWide({
  config,
  graph,
}: Pick<SourceParts, 'config' | 'graph'>): Promise<boolean> {
  if (missingFor(config, 'mailConnector').length > 0) return false;
  try {
    return readsAllMailboxes(await graph.roles(AbortSignal.timeout(WITHIN_MS))) === true;
  } catch (error) {
    if (error instanceof ConnectorError) return false;
    throw error;
  }
}
