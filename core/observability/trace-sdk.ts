import { setTimeout as sleep } from 'node:timers/promises';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { PRODUCT_VERSION } from '../controlplane/product-version.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';

export type TraceExportParts = { log: Logger; metrics: Metrics };

/** A span takes about a kilobyte. Spans beyond the queue are dropped. */
const QUEUED_SPANS = 4_096;
const SPANS_AT_ONCE = 512;
const EVERY_MS = 2_000;
/** With this limit the exporter also gives up its repetitions. */
const SENT_WITHIN_MS = 5_000;
/** A process that ends has a few seconds for everything. */
const LAST_SENT_WITHIN_MS = 500;

/** Traces from now on, for the whole process. Returns how to stop. */
export function startTracing(
  { url, percent }: { url: string; percent: number },
  parts: TraceExportParts,
): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: SENT_WITHIN_MS, concurrencyLimit: 4 });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'data-governance-service',
      'service.version': PRODUCT_VERSION,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(percent / 100) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: watched(exporter, parts),
        maxQueueSize: QUEUED_SPANS,
        maxExportBatchSize: SPANS_AT_ONCE,
        scheduledDelayMillis: EVERY_MS,
        exportTimeoutMillis: SENT_WITHIN_MS,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return async () => {
    const sent = provider.shutdown().catch(() => undefined);
    await Promise.race([sent, sleep(LAST_SENT_WITHIN_MS, undefined, { ref: false })]);
    trace.disable();
    propagation.disable();
    context.disable();
  };
}

/** Counts batches that were not taken, and logs the first of several in a row. */
function watched(exporter: SpanExporter, { log, metrics }: TraceExportParts): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== ExportResultCode.SUCCESS;
        if (hasFailed) {
          metrics.count('trace_export_failed');
          if (!isFailing) log.warn('traces_not_exported', { count: spans.length }, result.error);
        }
        isFailing = hasFailed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
