import type { MessageFamily, MessageSource } from '../connectors/message-source.ts';
import type { TenantId } from '../kernel/ids.ts';
import { INTEGRATION_OF, type SourceBlock, type SourceParts } from './connector-for.ts';
import { missingFor, readsFixtureMessages } from './integrations.ts';

/** The source of a family of messages under the current configuration. */
export function findMessageSource(
  { config, fixture }: SourceParts,
  _tenantId: TenantId,
  family: MessageFamily,
): MessageSource | SourceBlock {
  const integration = INTEGRATION_OF[family];
  if (fixture !== null && readsFixtureMessages(config, integration, true)) return fixture.messages(family);
  return { missing: missingFor(config, integration) };
}
