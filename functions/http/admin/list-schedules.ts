import { z } from 'zod';
import { ScheduleSchema } from '../../../core/campaigns/schedule-schema.ts';
import { listSchedules } from '../../../core/campaigns/schedules.sql.ts';
import { can, endpoint } from '../../../core/http/endpoint.ts';
import { bounded, listOf } from '../../../core/kernel/list.ts';

const LIMIT = 200;

export const listSchedulesEndpoint = endpoint({
  name: 'admin-list-schedules',
  method: 'GET',
  path: '/api/admin/schedules',
  summary: 'When scans start, when they rest, how much they read',
  description:
    'Schedules of all scopes, of families and of single scopes, in this order, with the next and the newest runs. Where ' +
    'none says when a kind of scan starts, the settings in `defaults` do. With `scopeId`, those that include this scope: ' +
    'the last one that sets times or quiet hours decides, and every ceiling holds.',
  access: can('operations.read'),
  transaction: 'read',
  query: z.strictObject({ scopeId: z.string().min(1).max(64).optional() }),
  response: listOf(ScheduleSchema).extend({
    defaults: z
      .object({
        deltaSchedule: z
          .string()
          .nullable()
          .describe('`SVC_DELTA_SCHEDULE`: six fields, in UTC. Null: deltas do not start by themselves'),
        inventoryMaxAgeDays: z
          .int()
          .describe('`SVC_INVENTORY_MAX_AGE_DAYS`. 0: inventories do not start by themselves'),
      })
      .describe('When scans start where no schedule says it'),
  }),
  handle: async ({ runtime: { config }, tx, query: { scopeId }, now }) => ({
    ...bounded(await listSchedules(tx, scopeId === undefined ? 'all' : { scopeId }, LIMIT + 1, now), LIMIT),
    defaults: {
      deltaSchedule: config.SVC_DELTA_SCHEDULE ?? null,
      inventoryMaxAgeDays: config.SVC_INVENTORY_MAX_AGE_DAYS,
    },
  }),
});
