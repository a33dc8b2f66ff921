import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Test files and the processes that they start load the same modules again and again: Node keeps them compiled.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url));

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/postgres.global.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // These end what hangs, and nothing else: how long a test takes is the machine's affair.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
