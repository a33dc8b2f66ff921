import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

// Test files and the processes that they start load the same modules again and again: Node keeps them compiled.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url));

/** Files that need a process of their own. */
const OWN_PROCESS = [
  // The package looks for the managed identity of the host once in a process.
  'test/unit/ai/azure-token.test.ts',
  // Replaces a module of Node.
  'test/db/runtime-close.test.ts',
  // Sets the process's umask, and locks files as a process.
  'test/db/launcher*.test.ts',
  // Loads timers, whose schedule is read from the environment.
  'test/db/checkpoint-timer.test.ts',
  // Measures memory.
  'test/http/exports.test.ts',
  'test/http/random-requests.test.ts',
  'test/unit/connectors/smb-large-folder.test.ts',
  'test/unit/extractors/archive/nested-files.test.ts',
  'test/unit/extractors/{ocr,pool}/*.test.ts',
];

/**
 * Long files, which `npm run test:release` runs and `npm test` does not: simulated days and histories, killed processes,
 * products of callers and requests, measured memory, large volumes, learning from many answers, foreign servers.
 */
const LONG = [
  'test/http/{license-states,list-limits,no-leak}.test.ts',
  'test/db/{alerts,young-tenant}.test.ts',
  'test/http/{analyst-random,fault-histories,graph-notifications,histories,truth-over-time}.test.ts',
  'test/db/{analyst-oracle,graph-history,mail-sync,message-sync-day,review-model,search-model}.test.ts',
  'test/db/{crash,crash-doorbell,crash-postgres,graph-crash,late-database,own-failures,work-deadlock}.test.ts',
  'test/http/{learned-weights,review-rerank,scan-estimates,worse-releases}.test.ts',
  'test/http/{connect-many-sites,hung-storage,traces,webhook-flood}.test.ts',
  'test/{db/sql-postgres,http/adapter-stdio,unit/connectors/sql/sqlserver-engine}.test.ts',
];
/** Of these, the ones that need a process of their own. */
const LONG_ALONE = [
  'test/e2e/**/*.test.ts',
  'test/contract/connectors.test.ts',
  'test/db/launcher*.test.ts',
  'test/http/{exports,random-requests}.test.ts',
  'test/unit/connectors/smb-large-folder.test.ts',
  'test/unit/extractors/ocr/*.test.ts',
  'test/unit/extractors/pool/extraction-pool.test.ts',
];

const postgres = { globalSetup: ['test/support/postgres.global.ts'] };

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // These end what hangs, and nothing else: how long a test takes is the machine's affair.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      {
        extends: true,
        test: {
          // Functions, which leave nothing behind: one process loads them for many files.
          name: 'functions',
          include: ['test/unit/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...OWN_PROCESS, ...LONG],
          setupFiles: ['test/support/property-defaults.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          // Files with a database and a service of their own. One process loads the service for many of them.
          name: 'services',
          include: ['test/{db,http}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...OWN_PROCESS, ...LONG],
          isolate: false,
          ...postgres,
        },
      },
      {
        extends: true,
        test: {
          // Each file has a process of its own.
          name: 'processes',
          include: ['test/contract/**/*.test.ts', ...OWN_PROCESS],
          exclude: [...configDefaults.exclude, ...LONG_ALONE],
          ...postgres,
        },
      },
      {
        extends: true,
        test: {
          // What only a release needs: `npm run test:release`. Each file has a process of its own.
          name: 'release',
          include: ['test/release/**/*.test.ts', ...LONG_ALONE],
          ...postgres,
        },
      },
      {
        extends: true,
        test: {
          // Named so that `--project release*` means both. One process loads the service for many of them.
          name: 'release-long',
          include: LONG,
          isolate: false,
          ...postgres,
        },
      },
    ],
  },
});
