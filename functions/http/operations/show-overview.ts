import { withEngineTx } from '../../../core/db/tx.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { sourceWarnings } from '../../../core/integrations/source-warnings.ts';
import { OverviewSchema, overview } from '../../../core/operations/overview.ts';
import { problemsOf } from '../../../core/operations/readiness.ts';
import { momentOf } from '../../../core/work/moment.sql.ts';
import { listScanners } from '../../../core/work/scanners.sql.ts';

export const showOverview = endpoint({
  name: 'operations-show-overview',
  method: 'GET',
  path: '/api/ops/overview',
  summary: 'Overview of the work',
  description:
    'Work units by status, the newest dead letters, the problems and the newest log lines of the answering process, ' +
    'warnings about integrations, and the scanners.',
  access: can('operations.read'),
  transaction: 'read',
  response: OverviewSchema,
  prepare: async ({ runtime }) => {
    const [fleet, warnings] = await Promise.all([
      // The fleet belongs to no tenant, so only the engine can read it.
      withEngineTx(runtime.db, (tx) => listScanners(tx, momentOf(runtime.clock))),
      sourceWarnings(runtime),
    ]);
    return { fleet, warnings };
  },
  handle: ({ runtime, tx, prepared }) =>
    overview(tx, runtime.log, { ...prepared, problems: problemsOf(runtime) }),
});
