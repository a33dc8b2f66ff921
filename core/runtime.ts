import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { azureToken } from './ai/azure-token.ts';
import { mockAiProvider } from './ai/mock.ts';
import { openAiOnDemand } from './ai/openai-on-demand.ts';
import type { AiProvider } from './ai/provider.ts';
import { AuditGroup } from './audit/append.sql.ts';
import { NotFoundTrace } from './audit/not-found-trace.ts';
import {
  type AccessTokenVerifier,
  createAccessTokenVerifier,
  createIdentityProvider,
  type IdentityProvider,
} from './auth/identity-provider.ts';
import { auditEndsOf } from './campaigns/audit-campaign-ends.ts';
import { type Config, ConfigError, loadConfig } from './config/config.ts';
import type { DriveCloud } from './connectors/cloud-drive/drive-cloud.ts';
import type { BoxCloud } from './connectors/file-box/box-calls.ts';
import type { GraphCloud } from './connectors/m365/graph-cloud.ts';
import { claiming, createPool } from './db/pool.ts';
import type { Db } from './db/tx.ts';
import { ocrLanguageFile } from './extractors/ocr/ocr-language.ts';
import { type CloudDriveAccess, createCloudDriveAccess } from './integrations/cloud-drive-access.ts';
import { createFileBoxAccess, type FileBoxAccess } from './integrations/file-box-access.ts';
import { type FixtureCompany, loadFixtureCompany } from './integrations/fixture-company.ts';
import { createGraphAccess, type GraphAccess } from './integrations/graph-access.ts';
import { missingFor } from './integrations/integrations.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { newId } from './kernel/ids.ts';
import { afterCampaigns } from './notifications/follow-up.ts';
import { createLogger, type Logger } from './observability/log.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { createTraceExport, type TraceExport } from './observability/trace-export.ts';
import { createMetricsServer, type MetricsServer } from './operations/metrics-server.ts';
import { openDatabase } from './operations/open-database.ts';
import { createQueueDoorbell } from './platform/queue-doorbell.ts';
import { createSignInTable, type SignInTable } from './platform/sign-in-table.ts';
import { type AnalysisPool, createScanAnalysis, type GlancePool } from './scan/analysis-pool.ts';
import { keptConnectors } from './scan/kept-connectors.ts';
import { scanHandlers } from './scan/scan-handlers.ts';
import { SourceMeter } from './scan/source-meter.ts';
import type { Doorbell } from './work/doorbell.ts';
import { createFleetMember, type FleetMember, leaseOwnerOf } from './work/fleet.ts';
import { createWorker, type Worker } from './work/worker.ts';

/** What the process is made of. Composed once, here, from its configuration. */
export type Runtime = {
  config: Config;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** For workers and timers; each request has its own way of waiting for the same connections. */
  db: Db;
  /** One connection that nobody else waits for, so that readiness is reported however much there is to do. */
  probe: Db;
  audit: AuditGroup;
  notFoundTrace: NotFoundTrace;
  ai: AiProvider;
  /** The ways to Microsoft 365; nothing is called where it is not configured. */
  graph: GraphAccess;
  /** The way to Google Drive, in the same way. */
  cloudDrive: CloudDriveAccess;
  /** The ways to Box, in the same way. */
  fileBox: FileBoxAccess;
  /** Null outside development, and where it is not installed. */
  fixture: FixtureCompany | null;
  /** Null where sign-in through an identity provider is not configured. */
  identityProvider: IdentityProvider | null;
  /** Sign-ins under way; null where no storage is configured. */
  signIns: SignInTable | null;
  /** Null where callers cannot present access tokens. */
  accessTokens: AccessTokenVerifier | null;
  doorbell: Doorbell | null;
  /** The extraction threads, for messages. */
  analysis: GlancePool;
  worker: Worker;
  fleet: FleetMember;
  /** Null where no port is configured. */
  metricsServer: MetricsServer | null;
  /** Null where no collector is configured. */
  traces: TraceExport | null;
  /** Aborts when the process is asked to end. */
  stopping: AbortSignal;
  /**
   * Stops leasing, waits a bounded while for the units under way, hands back the others, leaves the fleet, closes
   * threads and connections.
   */
  close(): Promise<void>;
};

let composed: Promise<Runtime> | undefined;

/** The process's runtime, composed on first use. */
export function runtime(): Promise<Runtime> {
  composed ??= Promise.resolve().then(() => compose(loadConfig(), systemClock));
  return composed;
}

/**
 * Logs what is missing of a provider that was half configured, migrates the database, and joins the fleet. Waits for the
 * latter two in the background if the database is away or its schema is not that of this release.
 */
export async function startRuntime(): Promise<void> {
  const parts = await runtime();
  const { config, log, metricsServer, traces, stopping } = parts;
  await traces?.start();
  const missing = missingFor(config, 'aiProvider');
  if (missing.length < AI_SETTINGS) for (const setting of missing) log.warn('setting_missing', { setting });
  await openDatabase(parts, stopping);
  await metricsServer?.start();
  log.info('process_started');
}

/** Takes the place of the composition from the environment, so that a test sets the clock. */
export function useRuntime(replacement: Runtime): void {
  composed = Promise.resolve(replacement);
}

/** Closes the runtime if there is one. */
export async function closeRuntime(): Promise<void> {
  const current = composed;
  composed = undefined;
  await (await current)?.close();
}

const MIB = 1024 * 1024;
/**
 * The Functions host kills a worker five seconds after it asked the worker to end. The hand-back must be done a second
 * before that, and takes a moment itself.
 */
const UNITS_END_WITHIN_MS = 3_500;
/** With all of them missing the provider is not configured at all, and nothing is amiss. */
const AI_SETTINGS = 3;

/** Where fakes of clouds answer. */
export type FakeClouds = { graph?: GraphCloud; cloudDrive?: DriveCloud; fileBox?: BoxCloud };

/**
 * Throws `ConfigError`.
 * @param logDestination takes the place of stdout
 * @param fakes take the places of the vendors' clouds, in development only
 * @param analysis the extraction threads, which are closed with the runtime
 */
export async function compose(
  config: Config,
  clock: Clock,
  logDestination?: { write(line: string): void },
  fakes: FakeClouds = {},
  analysis = analysisFor(config),
): Promise<Runtime> {
  const log = createLogger({
    level: config.SVC_LOG_LEVEL,
    clock,
    ...(logDestination && { destination: logDestination }),
    ...(config.SVC_ENV === 'development' && logDestination === undefined && { stacks: process.stderr }),
  });
  const metrics = createMetrics();
  const common = { applicationName: 'data-governance-service', clock };
  const pool = createPool(config.SVC_DATABASE_URL, { max: config.SVC_DATABASE_POOL_SIZE, ...common });
  const probe = createPool(config.SVC_DATABASE_URL, { max: 1, ...common });
  const db = claiming(pool, 'background');
  const requests = claiming(pool, 'decision');
  const doorbell = createQueueDoorbell(config);
  const ai = providerFor(config);
  const clouds = cloudsOf({ config, db, clock, metrics, log }, fakes);
  const fixture = await loadFixtureCompany(config);
  const parts = { config, db, clock, log, metrics, doorbell };
  const scannerId = config.SVC_SCANNER_ID ?? newId('scn', clock());
  const owner = leaseOwnerOf(scannerId, clock());
  const meter = new SourceMeter(parts);
  const worker = createWorker({
    owner,
    db,
    clock,
    log,
    metrics,
    doorbell,
    concurrency: config.SVC_WORKER_CONCURRENCY,
    leaseBatch: config.SVC_WORKER_LEASE_BATCH,
    onCampaignsCompleted: async (campaigns) => {
      await auditEndsOf({ db, clock, log }, campaigns);
      await afterCampaigns({ ...parts, ...clouds, fixture }, campaigns);
    },
    handlers: scanHandlers({
      ...parts,
      analysis,
      provider: ai,
      connectorFor: meter.metered(keptConnectors({ config, db, clock, ...clouds, fixture })),
    }),
  });
  const host = hostname();
  const fleet = createFleetMember({
    db,
    clock,
    log,
    scannerId,
    owner,
    host,
    displayName: config.SVC_SCANNER_NAME ?? host,
    tally: worker.tally,
  });
  const metricsServer = createMetricsServer(config, { db: probe, clock, log, metrics, startedAt: clock() });
  const traces = createTraceExport(config, { log, metrics });
  const stop = new AbortController();
  return {
    config,
    clock,
    log,
    metrics,
    db,
    probe,
    audit: new AuditGroup(requests),
    notFoundTrace: new NotFoundTrace(requests),
    ai,
    ...clouds,
    fixture,
    identityProvider: createIdentityProvider(config, clock),
    signIns: createSignInTable(config),
    accessTokens: createAccessTokenVerifier(config, clock),
    doorbell,
    analysis,
    worker,
    fleet,
    metricsServer,
    traces,
    stopping: stop.signal,
    close: async () => {
      stop.abort();
      await Promise.race([worker.idle(), sleep(UNITS_END_WITHIN_MS, undefined, { ref: false })]);
      await Promise.all([meter.store(), fleet.leave()]);
      await metricsServer?.close();
      await analysis.close();
      await Promise.all([pool.close(), probe.close(), traces?.close()]);
    },
  };
}

/** Throws `ConfigError` if a fake would take the place of a cloud in production. */
function cloudsOf(
  parts: Parameters<typeof createGraphAccess>[0],
  fakes: FakeClouds,
): Pick<Runtime, 'graph' | 'cloudDrive' | 'fileBox'> {
  if (Object.keys(fakes).length > 0 && parts.config.SVC_ENV !== 'development')
    throw new ConfigError(['SVC_ENV: a fake of a cloud is refused unless it is development']);
  return {
    graph: createGraphAccess(parts, fakes.graph),
    cloudDrive: createCloudDriveAccess(parts, fakes.cloudDrive),
    fileBox: createFileBoxAccess(parts, fakes.fileBox),
  };
}

/** The extraction threads of a process; none starts yet. Throws `ConfigError`. */
export function analysisFor(config: Config): AnalysisPool & GlancePool {
  return createScanAnalysis({
    size: config.SVC_EXTRACT_WORKERS,
    cpuMs: config.SVC_EXTRACT_SECONDS * 1000,
    maxOldSpaceMb: config.SVC_EXTRACT_WORKER_MB,
    maxInputBytes: config.SVC_EXTRACT_MAX_INPUT_MB * MIB,
    bounds: {
      maxCharacters: config.SVC_EXTRACT_MAX_CHARACTERS,
      maxMembers: config.SVC_EXTRACT_MAX_MEMBERS,
      maxInflatedBytes: config.SVC_EXTRACT_MAX_INFLATED_MB * MIB,
      maxDepth: config.SVC_EXTRACT_MAX_DEPTH,
    },
    ocrLanguages: installedLanguages(config),
  });
}

/** The live provider where it is wholly configured; else the mock, which says that it is one. */
function providerFor(config: Config): AiProvider {
  const { SVC_AI_ENDPOINT: endpoint, SVC_AI_DEPLOYMENT: deployment, SVC_AI_CHAT_DEPLOYMENT: chat } = config;
  if (endpoint === undefined || deployment === undefined || missingFor(config, 'aiProvider').length > 0)
    return mockAiProvider;
  const key = config.SVC_AI_AZURE_IDENTITY ? azureToken(endpoint) : config.secret('SVC_AI_KEY_REF');
  return openAiOnDemand({ endpoint, deployment, chatDeployment: chat ?? null, key });
}

/** The languages that pictures are read in, none when they are not read. Throws `ConfigError`. */
function installedLanguages({ SVC_OCR, SVC_OCR_LANGUAGES }: Config): readonly string[] {
  if (!SVC_OCR) return [];
  if (SVC_OCR_LANGUAGES.length === 0 || SVC_OCR_LANGUAGES.some((one) => ocrLanguageFile(one) === null)) {
    throw new ConfigError(['SVC_OCR_LANGUAGES: at least one is needed, and the data package of each']);
  }
  return SVC_OCR_LANGUAGES;
}
