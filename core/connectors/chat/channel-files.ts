import { MAX_VALUE } from '../cloud-http/call-path.ts';
import type { Answer } from '../cloud-http/calls.ts';
import { ConnectorError } from '../connector.ts';
import { DriveItem } from '../m365/graph-answers.ts';
import type { GraphClient } from '../m365/graph-client.ts';
import type { BackingItem } from '../message-source.ts';
import type { ChannelId } from './channel-id.ts';

/** 502: seen with tokens of applications (microsoftgraph/microsoft-graph-docs#5925). */
const NO_FOLDER = [403, 404, 410, 423, 502] as const;
const BROKEN_FOLDER = /^graph_channel_files_(?:500|malformed)$/;
/** Whatever the link is: to another organization, to a file that is gone, or none of SharePoint at all. */
const NO_ITEM = [400, 401, 403, 404, 405, 410, 422, 423, 501] as const;

/** The folder of the files of a standard channel. Null if Graph refuses it, or nobody has opened it yet. */
export async function readFolder(
  client: GraphClient,
  channel: ChannelId,
  signal: AbortSignal,
): Promise<BackingItem | null> {
  try {
    return backingOf(
      await client.call('channel_files', channel, { schema: DriveItem, expect: NO_FOLDER, signal }),
    );
  } catch (error) {
    // The messages can be read without it, and it is asked for again at the next sync.
    if (error instanceof ConnectorError && BROKEN_FOLDER.test(error.safeDiagnostic)) return null;
    throw error;
  }
}

/** The item that an address leads to. The link is not redeemed, since that would give the service access for good. */
export async function findItem(
  client: GraphClient,
  address: string,
  signal: AbortSignal,
): Promise<BackingItem | null> {
  const shareId = `u!${Buffer.from(address).toString('base64url')}`;
  if (URL.parse(address)?.protocol !== 'https:' || shareId.length > MAX_VALUE) return null;
  const options = { query: { $select: 'id,parentReference' }, schema: DriveItem, expect: NO_ITEM, signal };
  try {
    return backingOf(await client.call('shared_item', { shareId }, options));
  } catch (error) {
    // An address at which Graph fails again and again must not hold up its channel.
    if (error instanceof ConnectorError && error.safeDiagnostic === 'graph_shared_item_500') return null;
    throw error;
  }
}

function backingOf(answer: Answer<DriveItem, number>): BackingItem | null {
  const scopeExternalId = answer.ok ? answer.body.parentReference?.driveId : null;
  return answer.ok && scopeExternalId ? { scopeExternalId, externalId: answer.body.id } : null;
}
