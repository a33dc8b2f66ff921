import { app } from '@azure/functions';
import { runtime } from '../../core/runtime.ts';

/** Deletes sign-ins that nobody ended within their ten minutes, so that the table stays small. */
app.timer('sweep-sign-ins', {
  schedule: '30 * * * * *',
  handler: async () => {
    const { signIns, clock, stopping } = await runtime();
    await signIns?.sweep(clock(), stopping);
  },
});
