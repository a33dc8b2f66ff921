import { expect, test } from 'vitest';
import { loadFunctions } from '../../docs/load-functions.ts';
import { toServedFunctions } from '../../infra/local/functions-host/function-metadata.ts';
import { nextOccurrence } from '../../infra/local/functions-host/schedule.ts';

test('a look at an accepted write that is due waits for at most five seconds', async () => {
  const { app } = await loadFunctions();
  const settings = { AzureWebJobsStorage: 'UseDevelopmentStorage=true' };
  const timer = toServedFunctions(app.functions.values(), settings, '').find(
    ({ name }) => name === 'sweep-actions',
  );
  if (timer?.kind !== 'timer') throw new Error('There is no such timer.');
  const from = Date.parse('2026-01-05T08:00:00Z');
  for (let due = from; due < from + 60_000; due += 1_000) {
    const next = nextOccurrence(timer.schedule, due);
    expect((next ?? Number.POSITIVE_INFINITY) - due).toBeLessThanOrEqual(5_000);
  }
});
