import { z } from 'zod';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { IdParams } from '../../../core/http/id-params.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { momentOf } from '../../../core/work/moment.sql.ts';
import { undrainScanner } from '../../../core/work/scanners.sql.ts';

export const undrainScannerEndpoint = endpoint({
  name: 'operations-undrain-scanner',
  method: 'POST',
  path: '/api/ops/fleet/{id}/undrain',
  summary: 'Undrain a scanner',
  access: can('operations.manage'),
  transaction: 'write',
  params: IdParams,
  response: z.object({ workloadId: z.string(), status: z.enum(['active', 'stale']) }),
  errors: ['conflict'],
  handle: async ({ runtime, tx, params, audit, afterCommit }) => {
    const status = await undrainScanner(tx, params.id, momentOf(runtime.clock));
    audit({ category: 'config', type: 'scanner_undrained', target: { kind: 'scanner', id: params.id } });
    ringAfterCommit({ runtime, afterCommit });
    return { workloadId: params.id, status };
  },
});
