import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../support/run-command.ts';

const SCRIPT = fileURLToPath(new URL('../worker/run.ts', import.meta.url));

describe('the comparison with the official language worker', () => {
  test('says without a worker that nothing was tried, and where one is', async () => {
    const { code, out } = await runCommand(SCRIPT, []);
    expect(code).toBe(0);
    expect(out).toMatch(/^Nothing was tried, because no worker was given\.$/m);
    expect(out).toContain('/azure-functions-host/workers/node');
  });

  test('refuses a folder that holds no worker', async () => {
    const { code, err } = await runCommand(SCRIPT, [], { env: { WORKER: import.meta.dirname } });
    expect(code).toBe(1);
    expect(err).toMatch(/^WORKER names no folder of a worker/);
  });
});
