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

const postgres = { globalSetup: ['test/support/postgres.global.ts'] };

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // These end what hangs, and nothing else: how long a test takes is the machine's affair.
    testTimeout: 600_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      {
        extends: true,
        test: {
          // Functions, which leave nothing behind: one process loads them for many files.
          name: 'functions',
          include: ['test/unit/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...OWN_PROCESS],
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
          exclude: [...configDefaults.exclude, ...OWN_PROCESS],
          isolate: false,
          ...postgres,
        },
      },
      {
        extends: true,
        test: {
          // Each file has a process of its own.
          name: 'processes',
          include: ['test/{contract,e2e}/**/*.test.ts', ...OWN_PROCESS],
          ...postgres,
        },
      },
      {
        extends: true,
        test: {
          // What only a release needs: `npm run test:release`. Each file has a process of its own.
          name: 'release',
          include: ['test/release/**/*.test.ts'],
          ...postgres,
        },
      },
    ],
  },
});
