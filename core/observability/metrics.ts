import {
  CALL_OUTCOMES,
  CALLS_OF,
  type CalledSource,
  type CallOutcome,
  LEFT_OUT,
  type LeftOut,
  OWN_PROBLEMS,
  type OwnProblem,
  RETRY_CLASSES,
  type RetryClass,
  SOURCE_THROTTLINGS,
  type SourceCall,
  type SourceThrottling,
  UNIT_KINDS,
  type UnitKind,
} from '../kernel/vocabulary.ts';
import { SampleWindow } from './sample-window.ts';
import {
  CHECKPOINT_OUTCOMES,
  type CheckpointOutcome,
  EXTRACTION_STATES,
  type ExtractionState,
  HTTP_ANSWERS,
  type HttpAnswer,
  LIFECYCLE_EVENTS,
  type LifecycleEvent,
  MEASURED_OUTCOMES,
  MEASURED_STAGES,
  type MeasuredOutcome,
  type MeasuredStage,
  NOTIFICATION_OUTCOMES,
  type NotificationOutcome,
  OPINION_OUTCOMES,
  type OpinionOutcome,
  SUBSCRIPTION_MODES,
  type SubscriptionMode,
  THROTTLING_STATUSES,
} from './vocabulary.ts';

const WINDOW_SAMPLES = 2000;
const MAX_SERIES = 500;

export type CounterName =
  | `stage_outcome:${MeasuredStage}:${MeasuredOutcome}`
  | `extraction:${string}:${ExtractionState}`
  | `items_left_out:${LeftOut}`
  | `${CalledSource}_calls:${SourceCall}:${CallOutcome}`
  | `${CalledSource}_throttled:${SourceThrottling}`
  | `${CalledSource}_retries:${SourceCall}`
  | `work_completed:${UnitKind}`
  | `work_failed:${RetryClass}`
  | `own_part_failed:${OwnProblem}`
  | `change_notification:${NotificationOutcome}`
  | `change_subscription_created:${SubscriptionMode}`
  | `change_subscription_renewed:${SubscriptionMode}`
  | 'change_subscription_renew_failed'
  | `change_lifecycle:${LifecycleEvent}`
  | `second_opinion:${OpinionOutcome}`
  | `audit_checkpoint:${CheckpointOutcome}`
  | `http_answer:${HttpAnswer}`
  | 'trace_export_failed';

export type HistogramName =
  | `stage_latency_ms:${MeasuredStage}`
  | 'notification_receive_lag_ms'
  | 'notification_reconcile_lag_ms';

/** `p50`, `p95` and `max` are of the last 2000 samples, in milliseconds; `count` is of all since the start. */
type HistogramReport = { name: string; count: number; p50: number; p95: number; max: number };

export type MetricsSnapshot = { counters: Record<string, number>; histograms: HistogramReport[] };

/** Counters and histograms of this process. They begin at nothing with each start. */
export type Metrics = {
  count(name: CounterName): void;
  /** A sample below zero is the skew of two clocks and counts as zero. */
  observe(name: HistogramName, milliseconds: number): void;
  /** By name. `samples_dropped` counts what was recorded under a name of no family, past the bound, or was no number. */
  snapshot(): MetricsSnapshot;
};

const labelled = (family: string, ...labels: readonly (readonly string[])[]): string[] =>
  labels.reduce<string[]>(
    (names, words) => names.flatMap((name) => words.map((word) => `${name}:${word}`)),
    [family],
  );

/** All but those of `extraction`, whose formats are open. */
export const COUNTERS: ReadonlySet<string> = new Set([
  ...labelled('stage_outcome', MEASURED_STAGES, MEASURED_OUTCOMES),
  ...labelled('items_left_out', LEFT_OUT),
  ...Object.entries(CALLS_OF).flatMap(([source, calls]) => [
    ...labelled(`${source}_calls`, calls, CALL_OUTCOMES),
    ...labelled(`${source}_throttled`, source === 'cloud_drive' ? SOURCE_THROTTLINGS : THROTTLING_STATUSES),
    ...labelled(`${source}_retries`, calls),
  ]),
  ...labelled('work_completed', UNIT_KINDS),
  ...labelled('work_failed', RETRY_CLASSES),
  ...labelled('own_part_failed', OWN_PROBLEMS),
  ...labelled('change_notification', NOTIFICATION_OUTCOMES),
  ...labelled('change_subscription_created', SUBSCRIPTION_MODES),
  ...labelled('change_subscription_renewed', SUBSCRIPTION_MODES),
  'change_subscription_renew_failed',
  ...labelled('change_lifecycle', LIFECYCLE_EVENTS),
  ...labelled('second_opinion', OPINION_OUTCOMES),
  ...labelled('audit_checkpoint', CHECKPOINT_OUTCOMES),
  ...labelled('http_answer', HTTP_ANSWERS),
  'trace_export_failed',
]);

/** Formats are the extractors' own words: the one open label, held to a shape here and to a number by the bound. */
const EXTRACTION = new RegExp(`^extraction:[a-z0-9_]{1,24}:(?:${EXTRACTION_STATES.join('|')})$`);

const HISTOGRAMS: ReadonlySet<string> = new Set([
  ...labelled('stage_latency_ms', MEASURED_STAGES),
  'notification_receive_lag_ms',
  'notification_reconcile_lag_ms',
]);

export function createMetrics(): Metrics {
  const counters = new Map<string, number>();
  const histograms = new Map<string, SampleWindow>();
  let dropped = 0;

  const hasRoom = () => counters.size + histograms.size < MAX_SERIES;

  return {
    count(name) {
      const current = counters.get(name);
      if (current !== undefined) counters.set(name, current + 1);
      else if (hasRoom() && (COUNTERS.has(name) || EXTRACTION.test(name))) counters.set(name, 1);
      else dropped++;
    },

    observe(name, milliseconds) {
      if (!Number.isFinite(milliseconds)) {
        dropped++;
        return;
      }
      let samples = histograms.get(name);
      if (samples === undefined && hasRoom() && HISTOGRAMS.has(name)) {
        samples = new SampleWindow(WINDOW_SAMPLES);
        histograms.set(name, samples);
      }
      if (samples === undefined) dropped++;
      else samples.add(Math.max(0, milliseconds));
    },

    snapshot() {
      const named = [...counters, ...(dropped > 0 ? [['samples_dropped', dropped] as const] : [])];
      return {
        counters: Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1))),
        histograms: [...histograms]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, samples]) => ({ name, ...samples.report() })),
      };
    },
  };
}
