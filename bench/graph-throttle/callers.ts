import { z } from 'zod';
import { loadConfig } from '../../core/config/config.ts';
import { GRAPH_CLOUDS } from '../../core/connectors/m365/graph-cloud.ts';
import { createPool } from '../../core/db/pool.ts';
import { createGraphAccess } from '../../core/integrations/graph-access.ts';
import { createLogger } from '../../core/observability/log.ts';
import { createMetrics } from '../../core/observability/metrics.ts';
import { DIRECTORY } from '../../test/support/authority.ts';
import { announce, taskOfParent } from '../support/child.ts';

export type CallersTask = { databaseUrl: string; origin: string; callers: number };

const { databaseUrl, origin, callers } = await taskOfParent<CallersTask>();
const config = loadConfig({
  SVC_ENV: 'development',
  SVC_AUTH_MODE: 'dev',
  SVC_DATABASE_URL: databaseUrl,
  SVC_GRAPH_TENANT_ID: DIRECTORY,
  SVC_GRAPH_CLIENT_ID: 'bench',
  SVC_GRAPH_CLIENT_SECRET_REF: 'SECRET',
  SECRET: 'bench',
});
const db = createPool(databaseUrl, { max: 2, applicationName: 'bench' });
const log = createLogger({ level: 'error', clock: Date.now });
const cloud = { ...GRAPH_CLOUDS.global, graphOrigin: origin, authorityOrigin: origin };
const client = createGraphAccess({ config, db, clock: Date.now, metrics: createMetrics(), log }, cloud).reads(
  'background',
);
const stop = new AbortController();

/** Makes one call after another. A call that is refused for good is followed by the next. */
async function callOn(): Promise<void> {
  while (!stop.signal.aborted) {
    const options = { schema: z.object({}), signal: stop.signal };
    await client?.call('item', { driveId: 'd', itemId: 'i' }, options).catch(() => undefined);
  }
}

const calling = Promise.all(Array.from({ length: callers }, callOn));
announce({}, async () => {
  stop.abort();
  await calling;
  await db.close();
});
