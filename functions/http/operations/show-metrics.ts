import { can, endpoint } from '../../../core/http/endpoint.ts';
import { MetricsReportSchema, metricsReport } from '../../../core/operations/metrics-report.ts';

export const showMetrics = endpoint({
  name: 'operations-show-metrics',
  method: 'GET',
  path: '/api/ops/metrics',
  summary: 'Counters and histograms of the process that answers',
  description: 'Counters since the process started, and gauges of the tenant over all processes.',
  access: can('operations.read'),
  transaction: 'read',
  response: MetricsReportSchema,
  handle: ({ runtime, tx, now }) => metricsReport(tx, runtime.metrics, now),
});
