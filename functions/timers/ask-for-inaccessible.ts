import { app } from '@azure/functions';
import { askForInaccessible } from '../../core/campaigns/scheduled-deltas.ts';
import { runtime } from '../../core/runtime.ts';

/** Asks the sources again for the scopes that they refused, so that those are read again when they can be. */
app.timer('ask-for-inaccessible', {
  schedule: '30 */5 * * * *',
  handler: async () => {
    const parts = await runtime();
    await askForInaccessible(parts, parts.stopping);
  },
});
