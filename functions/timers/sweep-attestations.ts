import { app } from '@azure/functions';
import { noteOverdueAttestations } from '../../core/governance/note-overdue-attestations.ts';
import { runtime } from '../../core/runtime.ts';

/** Audits attestations that owners did not give in time. */
app.timer('sweep-attestations', {
  schedule: '0 10 4 * * *',
  handler: async () => {
    const parts = await runtime();
    await noteOverdueAttestations(parts, parts.stopping);
  },
});
