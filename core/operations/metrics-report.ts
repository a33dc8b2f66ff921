import { z } from 'zod';
import { ContentStateSchema } from '../assets/asset-schema.ts';
import { contentStateCounts } from '../assets/content-state-counts.sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Metrics } from '../observability/metrics.ts';
import { oldestCursorSince, oldestPendingSince, queueCounts } from './counts.sql.ts';

const Milliseconds = z.number().nonnegative();

/**
 * Specification, "Metrics report". `counters` and `histograms` are of this process since its start. `derived` is of
 * the caller's tenant, over all processes, from the present state of the database.
 */
export const MetricsReportSchema = z.object({
  counters: z.record(z.string(), z.int().nonnegative()),
  histograms: z.array(
    z.object({
      name: z.string(),
      count: z.int().nonnegative(),
      p50: Milliseconds,
      p95: Milliseconds,
      max: Milliseconds,
    }),
  ),
  derived: z.object({
    queuePending: z.int().nonnegative(),
    queueLeased: z.int().nonnegative(),
    deadLetters: z.int().nonnegative(),
    oldestPendingAgeMs: Milliseconds,
    oldestDeltaCursorAgeMs: Milliseconds.nullable(),
    contentStates: z.record(ContentStateSchema, z.int().nonnegative()),
  }),
});

export type MetricsReport = z.infer<typeof MetricsReportSchema>;

/**
 * The measurements of the process and the database's figures of the transaction's tenant. `oldestPendingAgeMs` is 0
 * if no unit waits. `deadLetters` counts units that are dead now, without retried ones.
 */
export async function metricsReport(tx: Tx, metrics: Metrics, now: number): Promise<MetricsReport> {
  const queue = await queueCounts(tx);
  const contentStates = await contentStateCounts(tx);
  const pendingSince = await oldestPendingSince(tx);
  const cursorSince = await oldestCursorSince(tx);
  const age = (since: number) => Math.max(0, now - since);
  return {
    ...metrics.snapshot(),
    derived: {
      queuePending: queue.pending,
      queueLeased: queue.leased,
      deadLetters: queue.dead,
      oldestPendingAgeMs: pendingSince === null ? 0 : age(pendingSince),
      oldestDeltaCursorAgeMs: cursorSince === null ? null : age(cursorSince),
      contentStates,
    },
  };
}
