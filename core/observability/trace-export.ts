import type { Config } from '../config/config.ts';
import type { TraceExportParts } from './trace-sdk.ts';

/** Sends the spans of this process to a collector. */
export type TraceExport = {
  start(): Promise<void>;
  /** Sends what is left, within a bounded time, and stops tracing. */
  close(): Promise<void>;
};

/** Null where no collector is configured. The SDK is loaded by `start` only. */
export function createTraceExport(
  {
    SVC_TRACES_ENDPOINT: url,
    SVC_TRACES_PERCENT: percent,
  }: Pick<Config, 'SVC_TRACES_ENDPOINT' | 'SVC_TRACES_PERCENT'>,
  parts: TraceExportParts,
): TraceExport | null {
  if (url === undefined) return null;
  let stop: (() => Promise<void>) | undefined;
  return {
    start: async () => {
      const { startTracing } = await import('./trace-sdk.ts');
      stop = startTracing({ url, percent }, parts);
    },
    close: async () => stop?.(),
  };
}
