import { app } from '@azure/functions';
import { renewLicenses } from '../../core/licensing/renew.ts';
import { runtime } from '../../core/runtime.ts';

/** Advances the effective time of licenses, and renews those that end soon. */
app.timer('renew-licenses', {
  schedule: '40 7/15 * * * *',
  runOnStartup: true,
  handler: async () => renewLicenses(await runtime()),
});
