import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { momentOf } from '../../../core/work/moment.sql.ts';
import { drainScanner } from '../../../core/work/scanners.sql.ts';

export const drainScannerEndpoint = endpoint({
  name: 'operations-drain-scanner',
  method: 'POST',
  path: '/api/ops/fleet/{id}/drain',
  summary: 'Drain a scanner',
  description:
    'It finishes the units that it holds and leases no more, until it is undrained or its process starts ' +
    'again under the same id.',
  access: can('operations.manage'),
  transaction: 'write',
  params: IdParams,
  response: z.object({ workloadId: z.string(), status: z.literal('draining') }),
  errors: ['conflict'],
  handle: async ({ runtime, tx, params, audit }) => {
    await drainScanner(tx, params.id, momentOf(runtime.clock));
    audit({ category: 'config', type: 'scanner_drained', target: { kind: 'scanner', id: params.id } });
    return { workloadId: params.id, status: 'draining' as const };
  },
});
