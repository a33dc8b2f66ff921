import { loadConfig } from '../../core/config/config.ts';
import { sql } from '../../core/db/sql.ts';
import type { Db } from '../../core/db/tx.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { TenantId } from '../../core/kernel/ids.ts';
import type { SyncParts } from '../../core/messages/turn.ts';
import { createLogger } from '../../core/observability/log.ts';
import type { TestDatabase } from './database.ts';
import { textGlance } from './text-analysis.ts';

export const syncParts = (
  database: Pick<TestDatabase, 'url' | 'db'>,
  clock: Clock,
  db: Db = database.db,
): SyncParts => ({
  config: loadConfig({ SVC_ENV: 'development', SVC_DATABASE_URL: database.url }),
  db,
  clock,
  log: createLogger({ level: 'error', clock, destination: { write: () => undefined } }),
  analysis: textGlance,
});

export type StoredMessage = {
  id: string;
  feed: string;
  contentVersion: string;
  sourceVersion: string;
  preview: string | null;
  signals: { detectorId: string; count: number }[];
  state: string;
};

/** The messages of a container as they are stored, by their ids at the source. */
export const storedMessages = (database: TestDatabase, tenantId: TenantId, container: string) =>
  database.inspect<StoredMessage>(sql`
    select m.external_id as id, m.feed, m.content_version as "contentVersion", m.source_version as "sourceVersion",
           m.preview, m.signals, m.content_state as state
      from messages m join message_containers c using (tenant_id, container_id)
     where m.tenant_id = ${tenantId} and c.external_id = ${container} order by m.external_id`);
