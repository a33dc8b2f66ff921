import type { Config } from '../config/config.ts';
import { messageSourceFactories } from '../connectors/index.ts';
import type { GraphClient } from '../connectors/m365/graph-client.ts';
import { selectedMailboxes } from '../connectors/mail/mailboxes.ts';
import type { MessageFamily, MessageSource } from '../connectors/message-source.ts';
import { SELECTED_BY } from './configured-sources.ts';
import { INTEGRATION_OF, type SourceBlock, type SourceParts } from './connector-for.ts';
import { missingFor, readsFixtureMessages } from './integrations.ts';

/** The source of a family of messages under the current configuration. */
export function findMessageSource(parts: SourceParts, family: MessageFamily): MessageSource | SourceBlock {
  const { config, graph, fixture } = parts;
  const integration = INTEGRATION_OF[family];
  if (fixture !== null && readsFixtureMessages(config, integration, true)) return fixture.messages(family);
  const missing = missingFor(config, integration);
  const client = missing.length === 0 ? graph.reads('background') : null;
  return client === null ? { missing } : liveMessageSource(parts, family, client);
}

/** Whether the configuration names no channel or mailbox, so that none is to be kept. */
export const selectsNothing = ({ missing }: SourceBlock, family: MessageFamily): boolean =>
  missing.includes(SELECTED_BY[family]);

/** What the configuration names of a family. A container that it selects has one of these as its `entry`. */
export const selectedEntries = (config: Config, family: MessageFamily): readonly string[] =>
  family === 'chat' ? config.SVC_CHAT_TEAMS : selectedMailboxes(config.SVC_MAIL_MAILBOXES);

/** The same with this client, which may have another token. */
export function liveMessageSource(
  { config, clock, graph }: SourceParts,
  family: MessageFamily,
  client: GraphClient,
): MessageSource {
  const { cloud } = graph;
  switch (family) {
    case 'chat': {
      const tenantId = config.SVC_GRAPH_TENANT_ID ?? null;
      const selected = config.SVC_CHAT_TEAMS;
      return messageSourceFactories.chat.live({ client, clock, cloud, selected, tenantId });
    }
    case 'mail': {
      const mailboxes = selectedMailboxes(config.SVC_MAIL_MAILBOXES);
      return messageSourceFactories.mail.live({ client, clock, cloud, mailboxes });
    }
  }
}
