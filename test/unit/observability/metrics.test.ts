import { describe, expect, it } from 'vitest';
import { ConnectorError } from '../../../core/connectors/connector.ts';
import { type CounterName, createMetrics, type HistogramName } from '../../../core/observability/metrics.ts';

/** What a caller that evades the compiler passes. */
const untyped = (name: string) => name as CounterName & HistogramName;

const COUNTERS = [
  'stage_outcome:observe:computed',
  'stage_outcome:features:cache_hit',
  'extraction:docx:partial',
  'graph_throttled:429',
  'graph_throttled:503',
  'graph_calls:delta:2xx',
  'graph_calls:token:no_answer',
  'work_completed:process_asset',
  'work_failed:policy_denied',
  'change_notification:reconcile_skipped',
  'change_notification:rejected:unknown_subscription',
  'change_subscription_created:mock',
  'change_subscription_renewed:live',
  'change_subscription_renew_failed',
  'change_lifecycle:reauthorizationRequired',
] as const satisfies CounterName[];

const HISTOGRAMS = [
  'notification_receive_lag_ms',
  'notification_reconcile_lag_ms',
  'stage_latency_ms:content',
] as const satisfies HistogramName[];

describe('metrics', () => {
  it('count and observe the specified families, by name', () => {
    const metrics = createMetrics();
    expect(metrics.snapshot()).toEqual({ counters: {}, histograms: [] });
    for (const name of COUNTERS) metrics.count(name);
    metrics.count('graph_throttled:429');
    for (const name of HISTOGRAMS.toReversed()) metrics.observe(name, 7);
    const { counters, histograms } = metrics.snapshot();
    expect(Object.keys(counters)).toEqual([...COUNTERS].sort());
    expect(counters['graph_throttled:429']).toBe(2);
    expect(counters['extraction:docx:partial']).toBe(1);
    expect(histograms).toEqual(HISTOGRAMS.map((name) => ({ name, count: 1, p50: 7, p95: 7, max: 7 })));
  });

  it('take the retry class of a connector error as a label', () => {
    const metrics = createMetrics();
    metrics.count(`work_failed:${new ConnectorError('throttled', 'source_throttled').retryClass}`);
    expect(metrics.snapshot().counters).toEqual({ 'work_failed:throttled': 1 });
  });

  it('drop and count what belongs to no family', () => {
    const metrics = createMetrics();
    // @ts-expect-error no such stage
    metrics.count('stage_outcome:canary:computed');
    // @ts-expect-error no such call
    metrics.count('graph_calls:canary:2xx');
    // @ts-expect-error a histogram is no counter
    metrics.count('stage_latency_ms:content');
    // @ts-expect-error a counter is no histogram
    metrics.observe('graph_throttled:429', 1);
    metrics.count(untyped('extraction:/Finance/Canary.docx:failed'));
    metrics.count(untyped('__proto__'));
    metrics.observe(untyped('stage_latency_ms:canary'), 1);
    metrics.observe('stage_latency_ms:content', Number.NaN);
    const { counters, histograms } = metrics.snapshot();
    expect(counters).toEqual({ samples_dropped: 8 });
    expect(histograms).toEqual([]);
  });

  it('keep 500 series at most, and go on counting in those', () => {
    const metrics = createMetrics();
    metrics.observe('stage_latency_ms:content', 1);
    for (let i = 0; i < 600; i++) metrics.count(`extraction:f${i}:failed`);
    metrics.count('extraction:f0:failed');
    metrics.observe('stage_latency_ms:content', 1);
    metrics.observe('stage_latency_ms:observe', 1);
    const { counters, histograms } = metrics.snapshot();
    expect(counters.samples_dropped).toBe(102);
    expect(counters['extraction:f0:failed']).toBe(2);
    expect(histograms).toEqual([expect.objectContaining({ name: 'stage_latency_ms:content', count: 2 })]);
    expect(Object.keys(counters)).toHaveLength(499 + 1);
  });

  it('report nearest-rank percentiles, whatever the order of the samples', () => {
    const metrics = createMetrics();
    for (let i = 0; i < 100; i++) metrics.observe('stage_latency_ms:content', ((i * 37) % 100) + 1);
    expect(metrics.snapshot().histograms).toEqual([
      { name: 'stage_latency_ms:content', count: 100, p50: 50, p95: 95, max: 100 },
    ]);
  });

  it('look at the last 2000 samples only', () => {
    const metrics = createMetrics();
    metrics.observe('stage_latency_ms:content', 1_000_000);
    for (let i = 0; i < 1999; i++) metrics.observe('stage_latency_ms:content', 10);
    expect(metrics.snapshot().histograms[0]).toMatchObject({ count: 2000, max: 1_000_000 });
    metrics.observe('stage_latency_ms:content', 20);
    expect(metrics.snapshot().histograms[0]).toMatchObject({ count: 2001, p50: 10, max: 20 });
  });

  it('take a lag below zero as zero', () => {
    const metrics = createMetrics();
    metrics.observe('notification_receive_lag_ms', -5);
    expect(metrics.snapshot().histograms[0]).toMatchObject({ count: 1, p50: 0, max: 0 });
  });
});
