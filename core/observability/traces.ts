import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { errorFields } from './error-fields.ts';
import { type OnlySpanFields, type SpanFields, safeAttributes } from './span-fields.ts';

/** What is traced. `named` are the attributes whose words make the name of the span. */
const SPANS = {
  request: { kind: SpanKind.SERVER, named: ['http.request.method', 'http.route'], prefix: [] },
  unit: { kind: SpanKind.CONSUMER, named: ['svc.unit.kind'], prefix: ['unit'] },
  transaction: { kind: SpanKind.CLIENT, named: ['svc.transaction.kind'], prefix: ['transaction'] },
  source: { kind: SpanKind.CLIENT, named: ['svc.source.operation'], prefix: ['source'] },
  analysis: { kind: SpanKind.INTERNAL, named: [], prefix: ['analysis'] },
} as const satisfies Record<string, { kind: SpanKind; named: (keyof SpanFields)[]; prefix: string[] }>;

/** A span that can begin a trace. The others are recorded beneath another span only, so that idle loops leave none. */
type Root = 'request' | 'unit';
type Inner = Exclude<keyof typeof SPANS, Root>;

/** The span of the work that runs. */
export type SpanOfWork = {
  /** Adds attributes. */
  describe<F extends SpanFields>(fields: OnlySpanFields<F>): void;
  /** Says that the work failed. Work that throws need not say so. */
  fail(): void;
};

const NOT_TRACED: SpanOfWork = { describe: () => undefined, fail: () => undefined };

/**
 * Runs `work` in a span that begins a trace, or continues that of `parent`. Without a configured collector it costs a
 * few function calls.
 */
export const inTrace = <T, F extends SpanFields>(
  name: Root,
  fields: OnlySpanFields<F>,
  work: (span: SpanOfWork) => Promise<T>,
  parent: Context = ROOT_CONTEXT,
): Promise<T> => run(name, fields, work, parent);

/** Runs `work` in a span below the current one. Where there is none, `work` alone. */
export const inSpan = <T, F extends SpanFields>(
  name: Inner,
  fields: OnlySpanFields<F>,
  work: (span: SpanOfWork) => Promise<T>,
): Promise<T> =>
  trace.getActiveSpan() === undefined ? work(NOT_TRACED) : run(name, fields, work, context.active());

function run<T>(
  type: keyof typeof SPANS,
  fields: SpanFields,
  work: (span: SpanOfWork) => Promise<T>,
  parent: Context,
): Promise<T> {
  const { kind, named, prefix } = SPANS[type];
  const attributes = safeAttributes(fields);
  const name = [...prefix, ...named.map((each) => attributes[each])].join(' ');
  // The provider is looked up for each span, because it is set after this module is loaded, if at all.
  const tracer = trace.getTracer('data-governance-service');
  return tracer.startActiveSpan(name, { kind, attributes }, parent, async (span) => {
    try {
      return await work(spanOf(span));
    } catch (thrown) {
      // The event of an exception would carry its message and stack.
      span.setAttribute('error.type', errorFields(thrown).errorClass);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw thrown;
    } finally {
      span.end();
    }
  });
}

const spanOf = (span: Span): SpanOfWork => ({
  describe: (fields) => {
    span.setAttributes(safeAttributes(fields));
  },
  fail: () => {
    span.setStatus({ code: SpanStatusCode.ERROR });
  },
});

/** What a request says of the trace that it belongs to. `tracestate` is not read: it is text of the caller's. */
export const parentOf = (headers: { get(name: string): string | null }): Context =>
  propagation.extract(ROOT_CONTEXT, headers, {
    keys: () => ['traceparent'],
    get: (from, key) => (key === 'traceparent' ? (from.get(key) ?? undefined) : undefined),
  });
