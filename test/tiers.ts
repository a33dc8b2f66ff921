import path from 'node:path';

/* Which command runs which test files, as globs (docs/adr/0035). */

/** Files of `npm test` that need a process of their own. Those of `test/contract` each have one. */
export const OWN_PROCESS = [
  // The package looks for the managed identity of the host once in a process.
  'test/unit/ai/azure-token.test.ts',
  // Replaces a module of Node.
  'test/db/runtime-close.test.ts',
  // Loads timers, whose schedule is read from the environment.
  'test/db/checkpoint-timer.test.ts',
  // Measures memory.
  'test/unit/extractors/archive/nested-files.test.ts',
  'test/unit/extractors/pool/*.test.ts',
];

/**
 * What CI runs beside `npm test`, with `test/release`: what a change rarely breaks, and must not break all the same.
 */
export const RELEASE = [
  'test/http/{access-tokens,adapter,ai-usage,canary,cloud-sources,document-examples,fault-histories}.test.ts',
  'test/http/{fixture-mutate,governance-scanned,licensing,list-limits,message-selection}.test.ts',
  'test/http/{messages-canary,no-leak,releases,sign-in-attacks,suppressions,webhook-flood}.test.ts',
  'test/db/{crash,crash-postgres,late-database,migrate,rescore,work-deadlock}.test.ts',
];

/** What proves, at greater depth, what a test of CI proves too. `npm run test:nightly` runs them with all others. */
export const NIGHTLY = [
  // Each image, page, browser and process of an installation; a restored backup.
  'test/release/{api-docs,console-dev,console-network,console-people,console-views,launcher-azurite}.test.ts',
  'test/release/{guide,local-stack,openapi-client,packaging-images,restore}.test.ts',
  'test/db/launcher.test.ts',
  'test/contract/functions-host-queue.test.ts',
  'test/e2e/*.test.ts',
  // Fakes of clouds over hours, and each server and connector in every way.
  'test/release/{cloud-fakes,graph-fake,sql-mariadb,sql-postgres-size}.test.ts',
  'test/contract/{cloud-answers-damaged,connectors}.test.ts',
  'test/db/{graph-sharing,sql-postgres}.test.ts',
  'test/http/{adapter-conformance,adapter-stdio}.test.ts',
  'test/unit/connectors/sql/sqlserver-engine.test.ts',
  'test/unit/connectors/chat/channel-feed.test.ts',
  'test/unit/replay/*.test.ts',
  // Measured memory, query plans and large volumes.
  'test/db/{plans-made-early,search-bounds,search-plans,search-tenants,source-folders}.test.ts',
  'test/db/{suppression-plans,young-tenant}.test.ts',
  'test/http/{connect-many-sites,exports,random-requests}.test.ts',
  'test/unit/connectors/{cloud-volumes,fixture-content,smb-large-folder}.test.ts',
  'test/unit/infra/fixture-messages.test.ts',
  'test/unit/extractors/archive/boxes.test.ts',
  'test/unit/extractors/pool/worker-pool.test.ts',
  // Random histories, simulated days and whole products.
  'test/db/{analyst-oracle,campaign-concurrency,graph-history,mail-sync,message-sync-day}.test.ts',
  'test/db/{paged-comparison,review-model,search-model}.test.ts',
  'test/http/{analyst-random,decisions-keep-inferences,graph-notifications,histories,license-states}.test.ts',
  'test/http/{newest-in-force,scan-estimates,truth-over-time}.test.ts',
  'test/unit/detectors/engine/{adversarial,random-match}.test.ts',
  'test/unit/detectors/identity/national-ids.test.ts',
  'test/unit/detectors/value-alone.test.ts',
  'test/unit/inference/more-evidence.test.ts',
  'test/unit/scan/table-evidence.test.ts',
  // Learning from many answers, and worse releases of a model.
  'test/db/{representatives,review-inferences,review-value}.test.ts',
  'test/http/{learned-weights,review-expectation,review-rerank,review-scanned,worse-releases}.test.ts',
  // Faults that go on, and more ways to be killed.
  'test/db/{crash-doorbell,graph-crash,inaccessible-scope,own-failures}.test.ts',
  'test/http/{failing-parts,hung-storage}.test.ts',
  // The database behind an endpoint, in more cases than the tests of the endpoint have.
  'test/db/{action-filters,archive-names,asset-list,doctor-database,doctor-services,narrowed-scan}.test.ts',
  'test/db/{owners,queue-filters,retention,scheduled-deltas,schedules,search,second-opinion}.test.ts',
  'test/db/tenant-command.test.ts',
  'test/http/{action-asked-once,directory,scan-progress}.test.ts',
];

export const isNightly = (file: string): boolean => NIGHTLY.some((files) => path.matchesGlob(file, files));
