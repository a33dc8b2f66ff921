import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { NIGHTLY, OWN_PROCESS, RELEASE } from './test/tiers.ts';

// Test files and the processes that they start load the same modules again and again: Node keeps them compiled.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url));

const OTHER_TIERS = [...configDefaults.exclude, ...RELEASE, ...NIGHTLY];
const postgres = { globalSetup: ['test/support/postgres.global.ts'] };

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // These end what hangs, and nothing else: how long a test takes is the machine's affair.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    setupFiles: ['test/support/property-defaults.ts'],
    // Node runs the sources itself, as in development: nothing is transformed, for which each project had its own server.
    experimental: { viteModuleRunner: false },
    projects: [
      {
        extends: true,
        test: {
          // Functions, which leave nothing behind: one process loads them for many files.
          name: 'functions',
          include: ['test/unit/**/*.test.ts'],
          exclude: [...OTHER_TIERS, ...OWN_PROCESS],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          // Files with a database and a service of their own. One process loads the service for many of them.
          name: 'services',
          include: ['test/{db,http}/**/*.test.ts'],
          exclude: [...OTHER_TIERS, ...OWN_PROCESS],
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
          exclude: OTHER_TIERS,
          ...postgres,
        },
      },
      {
        extends: true,
        test: {
          // Builds, a browser, upgrades. Each file has a process of its own.
          name: 'release',
          include: ['test/release/**/*.test.ts'],
          exclude: OTHER_TIERS,
          ...postgres,
        },
      },
      {
        extends: true,
        test: {
          // Named so that `--project release*` means both. One process loads the service for many of them.
          name: 'release-services',
          include: RELEASE,
          isolate: false,
          ...postgres,
        },
      },
      {
        extends: true,
        test: {
          // Each file has a process of its own.
          name: 'nightly',
          include: NIGHTLY,
          ...postgres,
        },
      },
    ],
  },
});
