import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

// Test files and the processes that they start load the same modules again and again: Node keeps them compiled.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url));

/** What they take of memory is measured. */
const EXTRACTORS = 'test/unit/extractors/**/*.test.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // These end what hangs, and nothing else: how long a test takes is the machine's affair.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      {
        extends: true,
        test: {
          // Functions, which leave nothing behind: one process loads them for many files.
          name: 'functions',
          include: ['test/unit/**/*.test.ts'],
          exclude: [...configDefaults.exclude, EXTRACTORS],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: ['test/{contract,db,e2e,http}/**/*.test.ts', EXTRACTORS],
          globalSetup: ['test/support/postgres.global.ts'],
        },
      },
    ],
  },
});
