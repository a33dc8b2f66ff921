import { afterAll, expect, test, vi } from 'vitest';
import { loadFunctions } from '../../docs/load-functions.ts';
import { toServedFunctions } from '../../infra/local/functions-host/function-metadata.ts';

afterAll(() => vi.unstubAllEnvs());

test('deltas start by a timer of their own once a schedule is set', async () => {
  vi.stubEnv('SVC_DELTA_SCHEDULE', '0 0 * * * *');
  const { app } = await loadFunctions();
  const served = toServedFunctions(
    app.functions.values(),
    { AzureWebJobsStorage: 'UseDevelopmentStorage=true' },
    '',
  );
  expect(served.find(({ name }) => name === 'start-deltas')).toMatchObject({
    kind: 'timer',
    schedule: { text: '0 0 * * * *' },
  });
});
