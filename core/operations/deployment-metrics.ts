import { PRODUCT_VERSION } from '../controlplane/product-version.ts';
import { type Db, withEngineTx } from '../db/tx.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { type MetricFamily, openMetricsText, processFamilies } from '../observability/openmetrics.ts';
import { momentOf } from '../work/moment.sql.ts';
import { SCANNER_STATUSES } from '../work/scanner-states.ts';
import { listScanners } from '../work/scanners.sql.ts';
import { deploymentGauges } from './deployment-gauges.sql.ts';

export type DeploymentMetricsParts = {
  db: Db;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** When the process was composed, in milliseconds. */
  startedAt: number;
};

/** A scraper that waits longer has given up. */
const DATABASE_WITHIN_MS = 5_000;

/**
 * What this process has counted, and gauges of the deployment over all tenants, in the text form of OpenMetrics. Ids,
 * names and hosts are left out. Without a database `svc_database_up` is 0, and there are no gauges.
 */
export async function deploymentMetrics({
  db,
  clock,
  log,
  metrics,
  startedAt,
}: DeploymentMetricsParts): Promise<string> {
  const gauges = await withEngineTx(
    db,
    async (tx) => ({ counts: await deploymentGauges(tx), scanners: await listScanners(tx, momentOf(clock)) }),
    AbortSignal.timeout(DATABASE_WITHIN_MS),
  ).then(
    (read) => gaugeFamilies(read, clock()),
    (error: unknown) => {
      log.warn('metrics_incomplete', {}, error);
      return [];
    },
  );
  return openMetricsText([
    {
      name: 'service',
      type: 'info',
      help: 'The release that the process runs',
      samples: [{ suffix: '_info', labels: { version: PRODUCT_VERSION }, value: 1 }],
    },
    {
      ...gauge('process_start_time_seconds', 'When the process was started, as a Unix time', {
        value: startedAt / 1000,
      }),
      unit: 'seconds',
    },
    gauge('database_up', 'Whether the database answered', { value: gauges.length > 0 ? 1 : 0 }),
    ...gauges,
    ...processFamilies(metrics.snapshot()),
  ]);
}

const gauge = (name: string, help: string, ...samples: MetricFamily['samples']): MetricFamily => ({
  name,
  type: 'gauge',
  help,
  samples,
});

function gaugeFamilies(
  {
    counts,
    scanners,
  }: {
    counts: Awaited<ReturnType<typeof deploymentGauges>>;
    scanners: Awaited<ReturnType<typeof listScanners>>;
  },
  now: number,
): MetricFamily[] {
  const states = {
    not_fetched: counts.notFetched,
    available: counts.available,
    partial: counts.partial,
    unsupported: counts.unsupported,
    failed: counts.failed,
    inaccessible: counts.inaccessible,
  };
  return [
    gauge(
      'queue_units',
      'Work units of all tenants that wait, are held by workers, or are dead',
      { labels: { status: 'pending' }, value: counts.pending },
      { labels: { status: 'leased' }, value: counts.leased },
      { labels: { status: 'dead' }, value: counts.dead },
    ),
    age(
      'oldest_pending_age_seconds',
      'How long the oldest due unit has waited',
      counts.oldestPendingSince ?? now,
      now,
    ),
    age(
      'oldest_delta_cursor_age_seconds',
      'Age of the oldest valid delta cursor',
      counts.oldestCursorSince,
      now,
    ),
    gauge(
      'assets',
      'Active assets of all tenants',
      ...Object.entries(states).map(([state, value]) => ({ labels: { content_state: state }, value })),
    ),
    gauge(
      'scanners',
      'Processes of the fleet',
      ...SCANNER_STATUSES.map((status) => ({
        labels: { status },
        value: scanners.filter((scanner) => scanner.status === status).length,
      })),
    ),
  ];
}

const age = (name: string, help: string, since: Date | number | null, now: number): MetricFamily => ({
  ...gauge(name, help, ...(since === null ? [] : [{ value: Math.max(0, now - Number(since)) / 1000 }])),
  unit: 'seconds',
});
