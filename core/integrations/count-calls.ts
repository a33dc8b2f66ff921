import type { CallsParts } from '../connectors/cloud-http/calls.ts';
import type { CalledSource, SourceCall } from '../kernel/vocabulary.ts';
import type { Metrics } from '../observability/metrics.ts';

/** Counts the calls of a source, those that it asks to wait for, and those that are made again. */
export const countedAs = (
  metrics: Metrics,
  source: CalledSource,
): Required<Pick<CallsParts<SourceCall>, 'count' | 'countRetry'>> => ({
  count: (call, outcome, throttled) => {
    metrics.count(`${source}_calls:${call}:${outcome}`);
    if (throttled !== null) metrics.count(`${source}_throttled:${throttled}`);
  },
  countRetry: (call) => metrics.count(`${source}_retries:${call}`),
});
