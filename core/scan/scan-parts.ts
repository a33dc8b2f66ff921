import type { AiProvider } from '../ai/provider.ts';
import type { Config } from '../config/config.ts';
import type { Connector, SourceFamily } from '../connectors/connector.ts';
import type { Db } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { Logger } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Doorbell } from '../work/doorbell.ts';
import type { AnalysisPool } from './analysis-pool.ts';

/** The parts of the process that unit handlers use. */
export type ScanParts = {
  config: Config;
  db: Db;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  doorbell: Doorbell | null;
  analysis: AnalysisPool;
  provider: AiProvider;
  connectorFor(tenantId: TenantId, family: SourceFamily): Connector;
};
