import type { AuditSource } from '../audit/event.ts';
import type { MessageFamily } from '../connectors/message-source.ts';
import { type SourceParts, sourceBlocked } from '../integrations/connector-for.ts';
import { findMessageSource } from '../integrations/message-source-for.ts';
import { syncFamily } from './sync-family.ts';
import type { Synced } from './sync-schema.ts';
import type { SyncParts } from './turn.ts';

/** For a request. Throws `blocked_capability` with the missing settings if the source is not configured. */
export async function syncNow(
  parts: SourceParts & SyncParts & { stopping: AbortSignal },
  audit: Pick<AuditSource, 'tenantId' | 'principalId' | 'correlationId'>,
  family: MessageFamily,
): Promise<Synced> {
  const source = findMessageSource(parts, family);
  if ('missing' in source) throw sourceBlocked(family, source);
  return syncFamily(parts, audit, source, parts.stopping);
}
