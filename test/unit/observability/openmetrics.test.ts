import { describe, expect, it } from 'vitest';
import { type CounterName, createMetrics, type HistogramName } from '../../../core/observability/metrics.ts';
import { openMetricsText, processFamilies } from '../../../core/observability/openmetrics.ts';
import { parseOpenMetrics } from '../../support/openmetrics.ts';

const COUNTED: [CounterName, string, Record<string, string>][] = [
  ['stage_outcome:observe:computed', 'svc_stage_outcome_total', { stage: 'observe', outcome: 'computed' }],
  ['extraction:docx:partial', 'svc_extraction_total', { format: 'docx', state: 'partial' }],
  ['graph_throttled:429', 'svc_graph_throttled_total', { status: '429' }],
  ['graph_calls:label_assign:4xx', 'svc_graph_calls_total', { call: 'label_assign', outcome: '4xx' }],
  ['work_completed:process_asset', 'svc_work_completed_total', { kind: 'process_asset' }],
  ['work_failed:policy_denied', 'svc_work_failed_total', { class: 'policy_denied' }],
  [
    'change_notification:rejected:unknown_subscription',
    'svc_change_notification_total',
    { outcome: 'rejected:unknown_subscription' },
  ],
  ['change_subscription_created:mock', 'svc_change_subscription_created_total', { mode: 'mock' }],
  ['change_subscription_renewed:live', 'svc_change_subscription_renewed_total', { mode: 'live' }],
  ['change_subscription_renew_failed', 'svc_change_subscription_renew_failed_total', {}],
  ['change_lifecycle:missed', 'svc_change_lifecycle_total', { event: 'missed' }],
  ['http_answer:503', 'svc_http_answer_total', { status: '503' }],
  ['audit_checkpoint:chain_not_as_signed', 'svc_audit_checkpoint_total', { outcome: 'chain_not_as_signed' }],
  ['trace_export_failed', 'svc_trace_export_failed_total', {}],
];
const MEASURED: [HistogramName, string, Record<string, string>][] = [
  ['stage_latency_ms:content', 'svc_stage_latency_seconds', { stage: 'content' }],
  ['notification_receive_lag_ms', 'svc_notification_receive_lag_seconds', {}],
  ['notification_reconcile_lag_ms', 'svc_notification_reconcile_lag_seconds', {}],
];

const exposed = (metrics: ReturnType<typeof createMetrics>) =>
  parseOpenMetrics(openMetricsText(processFamilies(metrics.snapshot())));

describe('the exposition of a process', () => {
  it('has every counter with its labels, from nothing on, and nothing else', () => {
    const metrics = createMetrics();
    for (const [name] of COUNTED) metrics.count(name);
    metrics.count('graph_throttled:429');
    metrics.count('extraction:/Canary.docx:failed' as CounterName);
    const { samples, families } = exposed(metrics);
    expect(samples.filter(({ value }) => value > 0)).toEqual([
      ...COUNTED.map(([, name, labels]) => ({ name, labels, value: labels.status === '429' ? 2 : 1 })),
      { name: 'svc_samples_dropped_total', labels: {}, value: 1 },
    ]);
    // The formats of extraction are open.
    const begun = exposed(createMetrics()).samples;
    expect(begun.every(({ value }) => value === 0)).toBe(true);
    const known = begun.map(({ name, labels }) => ({ name, labels }));
    expect(samples.map(({ name, labels }) => ({ name, labels }))).toEqual(
      expect.arrayContaining([
        ...known,
        { name: 'svc_extraction_total', labels: { format: 'docx', state: 'partial' } },
      ]),
    );
    expect(samples).toHaveLength(known.length + 1);
    expect(new Set(families.map(({ type }) => type))).toEqual(new Set(['counter']));
    expect(families.every(({ help }) => help.length > 10)).toBe(true);
  });

  it('has every latency in seconds, with quantiles and count', () => {
    const metrics = createMetrics();
    for (const [name] of MEASURED) for (const ms of [250, 500, 1_500]) metrics.observe(name, ms);
    const { samples, families } = exposed(metrics);
    expect(samples.filter(({ value }) => value > 0)).toEqual(
      MEASURED.flatMap(([, name, labels]) => [
        { name, labels: { ...labels, quantile: '0.5' }, value: 0.5 },
        { name, labels: { ...labels, quantile: '0.95' }, value: 1.5 },
        { name, labels: { ...labels, quantile: '1' }, value: 1.5 },
        { name: `${name}_count`, labels, value: 3 },
      ]),
    );
    expect(families.filter(({ type }) => type !== 'counter').map(({ type, unit }) => [type, unit])).toEqual(
      MEASURED.map(() => ['summary', 'seconds']),
    );
  });
});

it('a label may hold any text', () => {
  const value = 'quote " backslash \\ newline \n end';
  const text = openMetricsText([
    { name: 'some', type: 'gauge', help: value, samples: [{ labels: { word: value }, value: 1 }] },
  ]);
  expect(parseOpenMetrics(text).samples).toEqual([{ name: 'svc_some', labels: { word: value }, value: 1 }]);
});

it.each([
  ['no end', '# TYPE svc_a gauge\nsvc_a 1\n'],
  ['a counter without _total', '# TYPE svc_a counter\nsvc_a 1\n# EOF\n'],
  ['a sample of no family', 'svc_a 1\n# EOF\n'],
  ['a family in two pieces', '# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# TYPE a gauge\n# EOF\n'],
  ['a series twice', '# TYPE a gauge\na{b="1"} 1\na{b="1"} 2\n# EOF\n'],
  ['a label that is not escaped', '# TYPE a gauge\na{b=""1"} 1\n# EOF\n'],
  ['a unit that the name lacks', '# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n'],
])('the parser of these tests refuses %s', (_, text) => {
  expect(() => parseOpenMetrics(text)).toThrow();
});
