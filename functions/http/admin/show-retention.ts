import { can, endpoint } from '../../../core/http/endpoint.ts';
import { listOf } from '../../../core/kernel/list.ts';
import { RetentionSchema, retentionReport } from '../../../core/retention/report.sql.ts';

export const showRetention = endpoint({
  name: 'admin-show-retention',
  method: 'GET',
  path: '/api/admin/retention',
  summary: 'What is kept, for how long, and what goes next',
  description:
    'One item for each kind of rows that do not stay for ever: the days of its setting, how many rows there are, the ' +
    'oldest, and what goes next. Counts end at 10,000. A timer removes what is due. The audit trail is never cut.',
  access: can('tenant.profile.read'),
  transaction: 'read',
  response: listOf(RetentionSchema),
  handle: async ({ runtime, tx, now }) => ({
    items: await retentionReport(tx, runtime.config, now),
    truncated: false,
  }),
});
