import { probeChannels } from '../connectors/chat/probe-channels.ts';
import type { AllowedCall } from '../connectors/m365/allowed-calls.ts';
import type { GraphClient } from '../connectors/m365/graph-client.ts';
import { readOrganization } from '../connectors/m365/organization.ts';
import { withoutPermission } from '../connectors/m365/without-permission.ts';
import { readsAllMailboxes } from '../connectors/mail/reach.ts';
import type { MessageFamily } from '../connectors/message-source.ts';
import {
  everywhere,
  notConfigured,
  OK,
  type Probed,
  probed,
  type SourceProbe,
  type TestedSource,
} from '../connectors/probe.ts';
import { probeMessages } from '../connectors/probe-messages.ts';
import { SELECTED_BY } from './configured-sources.ts';
import { INTEGRATION_OF, type SourceParts } from './connector-for.ts';
import { missingFor } from './integrations.ts';
import { findMessageSource, liveMessageSource } from './message-source-for.ts';

/** The call that lists messages. */
const LISTING = { chat: 'channel_messages', mail: 'mail_delta' } as const satisfies Record<
  MessageFamily,
  AllowedCall
>;

/** Tests a source of messages as it is configured, with a token of its own. */
export async function probeMessageSource(
  parts: SourceParts,
  family: MessageFamily,
  signal: AbortSignal,
): Promise<TestedSource> {
  const selection = {
    selected: parts.config[SELECTED_BY[family]],
    denied: withoutPermission(LISTING[family]),
  };
  const none = everywhere(notConfigured('not_part_of_source'));
  const missing = missingFor(parts.config, INTEGRATION_OF[family]);
  const fresh = missing.length === 0 ? parts.graph.probes() : null;
  if (fresh === null) {
    const found = findMessageSource(parts, family);
    if ('missing' in found)
      return { mode: null, probe: everywhere(notConfigured('setting_missing', ...missing)) };
    return { mode: found.mode, probe: { ...none, ...(await probeMessages(found, selection, signal)) } };
  }
  const token = await probed(async () => {
    await fresh.acquireToken(signal);
    return OK;
  }, signal);
  if (token.state !== 'ok') return { mode: 'live', probe: everywhere(token) };
  const isChat = family === 'chat';
  // The id of our tenant need not be looked up where it is configured.
  const needsDirectory = !isChat || parts.config.SVC_GRAPH_TENANT_ID?.includes('.') === true;
  const [places, directory, reach] = await Promise.all([
    isChat
      ? probeChannels(fresh.client, parts.config.SVC_CHAT_TEAMS, signal)
      : probeMessages(liveMessageSource(parts, family, fresh.client), selection, signal),
    needsDirectory ? probed(() => probeOrganization(fresh.client, signal), signal) : none.directory,
    isChat ? none.reach : probed(async () => reachOf(await fresh.roles(signal)), signal),
  ]);
  const probe: SourceProbe = { ...none, token, ...places, directory, reach };
  return { mode: 'live', probe };
}

/** Without it, nobody is known to be outside. */
const probeOrganization = async (client: GraphClient, signal: AbortSignal): Promise<Probed> =>
  (await readOrganization(client, signal)) === null ? withoutPermission('organization') : OK;

function reachOf(roles: readonly string[] | null): Probed {
  const readsAll = readsAllMailboxes(roles);
  if (readsAll === false) return OK;
  return {
    state: 'warning',
    reason: readsAll ? 'reads_all_mailboxes' : 'mailbox_reach_unknown',
    missing: [],
  };
}
