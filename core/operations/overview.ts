import { z } from 'zod';
import { recentDeadLetters } from '../campaigns/dead-letters.sql.ts';
import type { Tx } from '../db/tx.ts';
import type { SourceWarning } from '../integrations/source-warnings.ts';
import { MAX_COUNTED } from '../kernel/list.ts';
import {
  MESSAGE_FAMILIES,
  OWN_PROBLEMS,
  type OwnProblem,
  RETRY_CLASSES,
  UNIT_KINDS,
} from '../kernel/vocabulary.ts';
import { familyCounts } from '../messages/family-counts.sql.ts';
import type { Logger } from '../observability/log.ts';
import { SCANNER_STATUSES } from '../work/scanner-states.ts';
import type { ScannerView } from '../work/scanners.sql.ts';
import { queueCounts } from './counts.sql.ts';
import { ReadinessWarningsSchema } from './readiness.ts';

const MAX_DEAD_LETTERS = 50;

const Timestamp = z.iso.datetime();
const Count = z.int().nonnegative();

/** One line of the logger. Its other fields hold only words of closed sets, opaque ids and amounts. */
export const LogEntrySchema = z
  .object({ time: Timestamp, level: z.enum(['debug', 'info', 'warn', 'error']), event: z.string() })
  .catchall(z.union([z.string(), z.number()]));

/** Specification, "Operations overview". */
export const OverviewSchema = z.object({
  queue: z.object({ pending: Count, leased: Count, completed: Count, dead: Count, cancelled: Count }),
  deadLetters: z
    .array(
      z.object({
        id: z.string(),
        campaignId: z.string(),
        kind: z.enum(UNIT_KINDS),
        retryClass: z.enum(RETRY_CLASSES),
        safeDiagnostic: z.string(),
        attempt: Count,
        createdAt: Timestamp,
        retriedAt: Timestamp.nullable(),
      }),
    )
    .max(MAX_DEAD_LETTERS),
  messages: z
    .array(
      z.object({
        family: z.enum(MESSAGE_FAMILIES),
        containers: Count.describe('Channels or mailboxes that are synced'),
        notSelected: Count.describe('Those that were left out. What is stored of them counts too'),
        covered: Count.describe('Those whose messages are all stored'),
        refused: Count.describe('Those that the source refuses'),
        messages: Count.describe(`How many are stored; ${MAX_COUNTED} stands for that or more`),
        openFindings: Count.describe(`${MAX_COUNTED} stands for that or more`),
        lastSyncedAt: Timestamp.nullable().describe('When all of one was last read. Null: never yet'),
      }),
    )
    .describe('What is stored of chat and mail'),
  /** What the answering process cannot do. While it lasts, that process leases no work. */
  problems: z.array(z.enum(OWN_PROBLEMS)),
  warnings: ReadinessWarningsSchema,
  recentLogs: z.array(LogEntrySchema),
  fleet: z.array(
    z.object({
      workloadId: z.string(),
      displayName: z.string(),
      host: z.string(),
      capabilities: z.array(z.string()),
      version: z.string(),
      status: z.enum(SCANNER_STATUSES),
      heartbeatAgeMs: z.number().nonnegative(),
      processed: Count,
      failed: Count,
      currentLeases: Count,
    }),
  ),
});

export type Overview = z.infer<typeof OverviewSchema>;

/**
 * The tenant's queue and dead letters, the newest log lines of this process that belong to the tenant or to none, and
 * the fleet, which serves all tenants.
 */
export async function overview(
  tx: Tx,
  log: Logger,
  { fleet, problems, warnings }: { fleet: ScannerView[]; problems: OwnProblem[]; warnings: SourceWarning[] },
): Promise<Overview> {
  return {
    queue: await queueCounts(tx),
    deadLetters: await recentDeadLetters(tx, MAX_DEAD_LETTERS),
    messages: (await familyCounts(tx)).map((counts) => ({
      ...counts,
      lastSyncedAt: counts.lastSyncedAt?.toISOString() ?? null,
    })),
    problems,
    warnings,
    recentLogs: log.recentLogs(tx.tenantId),
    fleet,
  };
}
