import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { recentDeadLetters } from '../campaigns/dead-letters.sql.ts';
import { type Config, type SettingName, SettingsSchema } from '../config/config.ts';
import { PRODUCT_VERSION } from '../controlplane/product-version.ts';
import { type SchemaVersion, schemaVersion, serverVersion } from '../db/schema-version.ts';
import { type Tx, withEngineTx } from '../db/tx.ts';
import type { GraphAccess } from '../integrations/graph-access.ts';
import { type SourceWarning, sourceWarnings } from '../integrations/source-warnings.ts';
import { RETRY_CLASSES, UNIT_KINDS } from '../kernel/vocabulary.ts';
import { ClockStateSchema, clockState } from '../licensing/effective-time.ts';
import { currentLicense } from '../licensing/license.ts';
import { LICENSE_STATES, SCAN_REFUSALS } from '../licensing/license-state.ts';
import type { Logger } from '../observability/log.ts';
import type { LogEntry } from '../observability/log-ring.ts';
import type { Metrics } from '../observability/metrics.ts';
import { MetricsReportSchema, metricsReport } from '../operations/metrics-report.ts';
import { LogEntrySchema } from '../operations/overview.ts';
import { ReadinessSchema, ReadinessWarningsSchema, readinessOf } from '../operations/readiness.ts';
import type { Moment } from '../work/moment.sql.ts';
import { SCANNER_STATUSES } from '../work/scanner-states.ts';
import { listScanners, type ScannerView } from '../work/scanners.sql.ts';

const MAX_DEAD_LETTERS = 50;
const MAX_STATEMENTS = 20;

const Timestamp = z.iso.datetime();
const Count = z.int().nonnegative();
const Milliseconds = z.number().nonnegative();

/**
 * What a person may give to the vendor. Ids, words of closed sets, versions, numbers and times; what names something of
 * the customer has no member. Members that a part of the service reports beyond these are left out.
 */
export const DiagnosticsSchema = z.object({
  bundleVersion: z.literal(1),
  madeAt: Timestamp,
  productVersion: z.string(),
  process: z
    .object({
      node: z.string(),
      platform: z.string(),
      architecture: z.string(),
      upSeconds: Count,
      residentMiB: Count,
      heapMiB: Count,
    })
    .describe('The process that answers'),
  database: z.object({
    version: z.string().describe('Of the server'),
    newestMigration: z.string().nullable(),
    missingMigrations: Count.describe('Of this release'),
    unknownMigrations: Count.describe('Of other releases'),
  }),
  readiness: ReadinessSchema,
  warnings: ReadinessWarningsSchema,
  settings: z
    .record(z.string(), z.union([z.boolean(), z.number(), z.literal('set')]))
    .describe('Settings that differ from their defaults; texts are told as `set`'),
  license: z.object({
    state: z.enum(LICENSE_STATES),
    reason: z.enum(SCAN_REFUSALS).nullable().describe('Why no scan may start'),
    clock: ClockStateSchema,
  }),
  fleet: z.array(
    z.object({
      version: z.string(),
      status: z.enum(SCANNER_STATUSES),
      heartbeatAgeMs: Milliseconds,
      processed: Count,
      failed: Count,
      currentLeases: Count,
    }),
  ),
  metrics: MetricsReportSchema,
  deadLetters: z.array(
    z.object({
      kind: z.enum(UNIT_KINDS),
      retryClass: z.enum(RETRY_CLASSES),
      safeDiagnostic: z.string(),
      attempt: Count,
      createdAt: Timestamp,
      retriedAt: Timestamp.nullable(),
    }),
  ),
  logs: z.array(LogEntrySchema).describe('The newest lines of the process, of the tenant and of no tenant'),
  slowestStatements: z
    .array(
      z.object({
        fingerprint: z.string().describe('The name under which the server prepares it'),
        statement: z.string().nullable().describe('Its beginning, without values; null if callers shape it'),
        calls: Count,
        totalMs: Milliseconds,
        meanMs: Milliseconds,
        maxMs: Milliseconds,
      }),
    )
    .describe('The statements on which the process waited longest in all'),
});
export type Diagnostics = z.input<typeof DiagnosticsSchema>;

type Parts = Parameters<typeof readinessOf>[0] & { graph: GraphAccess; log: Logger; metrics: Metrics };

/** What is read outside the tenant's transaction. */
export type Surroundings = {
  readiness: z.input<typeof ReadinessSchema>;
  warnings: SourceWarning[];
  schema: SchemaVersion;
  fleet: ScannerView[];
};

export async function readSurroundings(parts: Parts, now: Moment): Promise<Surroundings> {
  const { db } = parts;
  const [readiness, warnings, schema, fleet] = await Promise.all([
    readinessOf(parts),
    sourceWarnings(parts),
    schemaVersion(db),
    withEngineTx(db, (tx) => listScanners(tx, now)),
  ]);
  return { readiness, warnings, schema, fleet };
}

/** The bundle of the transaction's tenant. It is stored and sent nowhere. */
export async function diagnostics(
  tx: Tx,
  { config, db, log, metrics }: Parts,
  { readiness, warnings, schema, fleet }: Surroundings,
  now: number,
): Promise<Diagnostics> {
  const { state, refusal, clock } = await currentLicense(tx, { config }, now);
  const { rss, heapUsed } = process.memoryUsage();
  return {
    bundleVersion: 1,
    madeAt: new Date(now).toISOString(),
    productVersion: PRODUCT_VERSION,
    process: {
      node: process.version,
      platform: process.platform,
      architecture: process.arch,
      upSeconds: Math.round(process.uptime()),
      residentMiB: mebibytes(rss),
      heapMiB: mebibytes(heapUsed),
    },
    database: {
      version: await serverVersion(tx),
      newestMigration: schema.newest,
      missingMigrations: schema.missing,
      unknownMigrations: schema.unknown,
    },
    readiness,
    warnings,
    settings: shownSettings(config),
    license: { state, reason: refusal, clock: clockState(clock) },
    fleet,
    metrics: await metricsReport(tx, metrics, now),
    deadLetters: await recentDeadLetters(tx, MAX_DEAD_LETTERS),
    logs: log.recentLogs(tx.tenantId).map(shownLogEntry),
    slowestStatements: db.times.slowest(MAX_STATEMENTS).map(({ totalMs, maxMs, ...time }) => ({
      ...time,
      totalMs: rounded(totalMs),
      meanMs: rounded(totalMs / time.calls),
      maxMs: rounded(maxMs),
    })),
  };
}

/** The settings that differ from their defaults, in order. Flags and numbers are shown, everything else as `set`. */
function shownSettings(config: Config): Partial<Record<SettingName, boolean | number | 'set'>> {
  const names = Object.keys(SettingsSchema.shape) as SettingName[];
  return Object.fromEntries(
    names
      .filter(
        (name) => !isDeepStrictEqual(config[name], SettingsSchema.shape[name].safeParse(undefined).data),
      )
      .map((name) => {
        const value = config[name];
        return [name, typeof value === 'boolean' || typeof value === 'number' ? value : 'set'];
      }),
  );
}

const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20);
const rounded = (milliseconds: number) => Number(milliseconds.toFixed(2));

/** An id that `newId` made for a request. */
const OWN_CORRELATION_ID = /^cor_[0-9a-z]{26}$/;

/** A line without the words that people chose: the id of the tenant, and the id that a caller gave a request. */
function shownLogEntry({ tenantId: _, correlationId, ...entry }: LogEntry): LogEntry {
  const isOwn = typeof correlationId === 'string' && OWN_CORRELATION_ID.test(correlationId);
  return { ...entry, ...(isOwn && { correlationId }) };
}
