import { ConnectorError } from '../connectors/connector.ts';
import { readsAllMailboxes } from '../connectors/mail/reach.ts';
import type { SourceParts } from './connector-for.ts';
import { type IntegrationName, missingFor } from './integrations.ts';

/** What a credential may read beyond the selection, or that nobody knows it. */
export const SOURCE_WARNINGS = ['reads_all_mailboxes', 'mailbox_reach_unknown'] as const;

/** About an integration that is live. It is not for the public readiness report. */
export type SourceWarning = {
  integration: IntegrationName;
  warning: (typeof SOURCE_WARNINGS)[number];
};

/** A token is kept for an hour, so it is rarely waited for. */
const WITHIN_MS = 2_000;

/** Waits for at most two seconds. */
export async function sourceWarnings({
  config,
  graph,
}: Pick<SourceParts, 'config' | 'graph'>): Promise<SourceWarning[]> {
  if (missingFor(config, 'mailConnector').length > 0) return [];
  const reach = readsAllMailboxes(await rolesOf(graph));
  if (reach === false) return [];
  return [{ integration: 'mailConnector', warning: reach ? 'reads_all_mailboxes' : 'mailbox_reach_unknown' }];
}

/** Null if the source gives no token now. */
async function rolesOf(graph: SourceParts['graph']): Promise<readonly string[] | null> {
  try {
    return await graph.roles(AbortSignal.timeout(WITHIN_MS));
  } catch (error) {
    if (error instanceof ConnectorError) return null;
    throw error;
  }
}
