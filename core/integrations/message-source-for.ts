import type { MessageFamily, MessageSource } from '../connectors/message-source.ts';
import type { TenantId } from '../kernel/ids.ts';
import { INTEGRATION_OF, type SourceBlock, type SourceParts } from './connector-for.ts';
import { missingFor } from './integrations.ts';

/** The source of a family of messages under the current configuration. */
export function findMessageSource(
  { config, fixture }: SourceParts,
  _tenantId: TenantId,
  family: MessageFamily,
): MessageSource | SourceBlock {
  const isOn = family === 'chat' ? config.SVC_CHAT_ENABLED : config.SVC_MAIL_ENABLED;
  const hasOwn = config.SVC_GRAPH_CLIENT_ID !== undefined || config.SVC_MAIL_MAILBOXES.length > 0;
  if (fixture !== null && isOn && !hasOwn) return fixture.messages(family);
  return { missing: missingFor(config, INTEGRATION_OF[family]) };
}
