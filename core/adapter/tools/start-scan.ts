import { ScanRequestSchema, StartedScanSchema } from '../../campaigns/campaign-schema.ts';
import { ONE } from '../page.ts';
import { tool } from '../tool.ts';

export const startScan = tool({
  name: 'start_scan',
  title: 'Start a read-only scan',
  description:
    'Starts a scan of one scope: `inventory` walks all of it, `delta` reads what changed since the last scan and needs ' +
    'an earlier inventory. A scan reads the source and changes nothing there. One scan of a scope runs at a time.',
  effect: 'propose',
  input: ScanRequestSchema,
  data: StartedScanSchema,
  answer: async (ask, request) => ({
    ...ONE,
    truncated: false,
    note: 'The scan runs in the background. list_coverage shows the scope with its activeCampaignId until it ends.',
    data: await ask(StartedScanSchema, { method: 'POST', path: '/api/scans', body: request }),
  }),
});
