import { defineConfig } from 'vitest/config';

/** `npm run release:record` alone: nothing here runs with the tests. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    pool: 'forks',
    testTimeout: 900_000,
    hookTimeout: 240_000,
    include: ['test/releases/record.ts'],
    globalSetup: ['test/support/postgres.global.ts'],
  },
});
