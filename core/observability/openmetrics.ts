import type { CalledSource } from '../kernel/vocabulary.ts';
import { COUNTERS as COUNTED, type MetricsSnapshot } from './metrics.ts';

/** One family of metrics: what is written of it, and its samples. */
export type MetricFamily = {
  /** Without the prefix and without what the type adds. A family with a unit ends with the unit. */
  name: string;
  type: 'counter' | 'gauge' | 'summary' | 'info';
  help: string;
  unit?: 'seconds';
  samples: readonly MetricSample[];
};

type MetricSample = {
  suffix?: '_total' | '_count' | '_info';
  labels?: Readonly<Record<string, string>>;
  value: number;
};

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

const PREFIX = 'svc_';

type CounterFamily = { help: string; labels: readonly string[] };

const callFamilies = (source: CalledSource, name: string): Record<string, CounterFamily> => ({
  [`${source}_throttled`]: { help: `Answers of ${name} that ask to wait`, labels: ['status'] },
  [`${source}_calls`]: { help: `Answers of ${name}, and calls without one`, labels: ['call', 'outcome'] },
  [`${source}_retries`]: { help: `Calls of ${name} that were made again`, labels: ['call'] },
});

/** What each counter of `metrics.ts` counts, and what is behind its colons. The last label takes the rest. */
const COUNTERS: Readonly<Record<string, CounterFamily>> = {
  stage_outcome: { help: 'Stages of assets that ended', labels: ['stage', 'outcome'] },
  extraction: { help: 'Files that were extracted', labels: ['format', 'state'] },
  items_left_out: { help: 'Entries of a listing that are no items', labels: ['reason'] },
  ...callFamilies('graph', 'Microsoft Graph'),
  ...callFamilies('cloud_drive', 'Google Drive'),
  ...callFamilies('box', 'Box'),
  work_completed: { help: 'Work units that were completed', labels: ['kind'] },
  work_failed: { help: 'Attempts that failed', labels: ['class'] },
  own_part_failed: {
    help: 'Failures of parts of the process, which count against no unit',
    labels: ['problem'],
  },
  change_notification: { help: 'Change notifications that were received', labels: ['outcome'] },
  change_subscription_created: { help: 'Subscriptions that were created', labels: ['mode'] },
  change_subscription_renewed: { help: 'Subscriptions that were renewed', labels: ['mode'] },
  change_subscription_renew_failed: { help: 'Renewals of subscriptions that failed', labels: [] },
  change_lifecycle: { help: 'Lifecycle notifications that were received', labels: ['event'] },
  second_opinion: { help: 'Second opinions of the AI provider, and those not had', labels: ['outcome'] },
  http_answer: { help: 'Answers to requests', labels: ['status'] },
  audit_checkpoint: { help: 'Audit chains that were signed, or could not be', labels: ['outcome'] },
  trace_export_failed: { help: 'Batches of spans that the collector did not take', labels: [] },
  samples_dropped: { help: 'Samples under a name that is not declared, which is a defect', labels: [] },
};

/** The same for histograms, which are in milliseconds there and in seconds here. */
const LATENCIES: Readonly<Record<string, { name: string; help: string; labels: readonly string[] }>> = {
  stage_latency_ms: { name: 'stage_latency_seconds', help: 'Time that a stage took', labels: ['stage'] },
  notification_receive_lag_ms: {
    name: 'notification_receive_lag_seconds',
    help: 'From a change at the source to its notification',
    labels: [],
  },
  notification_reconcile_lag_ms: {
    name: 'notification_reconcile_lag_seconds',
    help: 'From a notification to the end of its delta',
    labels: [],
  },
};

/** A counter that appears with its first event shows no increase to a scraper, so each begins at nothing. */
const NOTHING_YET = Object.fromEntries([...COUNTED, 'samples_dropped'].map((name) => [name, 0]));

/** The families of what a process has counted and measured. A name that is not declared here is left out. */
export function processFamilies({ counters: counts, histograms }: MetricsSnapshot): MetricFamily[] {
  const counters = { ...NOTHING_YET, ...counts };
  const counted = Object.entries(COUNTERS).map(([name, { help, labels }]): MetricFamily => {
    const samples = Object.entries(counters).flatMap(([series, value]) =>
      familyOf(series) === name
        ? [{ suffix: '_total', labels: labelsOf(series, labels), value } as const]
        : [],
    );
    return { name, type: 'counter', help, samples };
  });
  const measured = Object.entries(LATENCIES).map(([family, { name, help, labels }]): MetricFamily => {
    const samples = histograms.flatMap((series): MetricSample[] => {
      if (familyOf(series.name) !== family) return [];
      const own = labelsOf(series.name, labels);
      const quantile = (share: string, ms: number) => ({
        labels: { ...own, quantile: share },
        value: ms / 1000,
      });
      return [
        quantile('0.5', series.p50),
        quantile('0.95', series.p95),
        quantile('1', series.max),
        { suffix: '_count', labels: own, value: series.count },
      ];
    });
    return { name, type: 'summary', unit: 'seconds', help, samples };
  });
  return [...counted, ...measured];
}

const familyOf = (series: string) => series.split(':', 1)[0] ?? '';

function labelsOf(series: string, names: readonly string[]): Record<string, string> {
  const words = series.split(':').slice(1);
  return Object.fromEntries(
    names.map((name, at) => [name, at === names.length - 1 ? words.slice(at).join(':') : (words[at] ?? '')]),
  );
}

/** The text of an exposition (OpenMetrics 1.0). Families without samples are left out. */
export function openMetricsText(families: readonly MetricFamily[]): string {
  const lines = families
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, unit, help, samples }) => [
      `# TYPE ${PREFIX}${name} ${type}`,
      ...(unit === undefined ? [] : [`# UNIT ${PREFIX}${name} ${unit}`]),
      `# HELP ${PREFIX}${name} ${escaped(help)}`,
      ...samples.map(
        ({ suffix = '', labels = {}, value }) => `${PREFIX}${name}${suffix}${braced(labels)} ${value}`,
      ),
    ]);
  return [...lines, '# EOF', ''].join('\n');
}

function braced(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (text: string) =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
