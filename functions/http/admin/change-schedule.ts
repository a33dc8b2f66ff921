import { changeSchedule } from '../../../core/campaigns/change-schedule.ts';
import { ScheduleChangeSchema, ScheduleSchema } from '../../../core/campaigns/schedule-schema.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { ringAfterCommit } from '../../../core/http/ring-after-commit.ts';
import { momentOf, presentOf } from '../../../core/work/moment.sql.ts';

export const changeScheduleEndpoint = endpoint({
  name: 'admin-change-schedule',
  method: 'PUT',
  path: '/api/admin/schedules',
  summary: 'Set when scans start, rest, and how much they read',
  description:
    'Replaces the whole schedule of one scope, of a family, or of all scopes. What is null or left out is as the wider ' +
    'schedule says. A schedule of nulls changes nothing. Active scans follow at once. A schedule that has changed since ' +
    '`revision` is refused.',
  access: can('connector.configure'),
  transaction: 'write',
  body: ScheduleChangeSchema,
  response: ScheduleSchema,
  errors: ['not_found', 'conflict'],
  handle: async ({ runtime, tx, principal, body, audit, afterCommit }) => {
    const now = await presentOf(tx, momentOf(runtime.clock));
    const schedule = await changeSchedule(tx, body, { principal, audit, now });
    // It may have ended the quiet hours of scans.
    ringAfterCommit({ runtime, afterCommit });
    return schedule;
  },
});
