import { schedule, whole } from './setting-kinds.ts';

/** When scans start by themselves, and how much they look at. */
export const SCAN_SETTINGS = {
  SVC_DELTA_SCHEDULE: schedule(
    'When a delta of every selected scope without a schedule for deltas starts, in UTC: for sources that never notify, ' +
      '`0 0 * * * *` is hourly',
  ),
  SVC_INVENTORY_MAX_AGE_DAYS: whole(
    'Days after which an inventory of a selected scope without a schedule for inventories starts by itself, if its files ' +
      'inherit permissions from folders; 0: never',
    0,
    365,
    7,
  ),
  SVC_SHARING_COMPARED_ITEMS: whole(
    'Most items of a scope for which each delta lists sharing, where the source does not report changes of ' +
      'sharing; larger scopes wait for an inventory',
    0,
    1_000_000,
    20_000,
  ),
  SVC_MESSAGE_SYNC_HOURS: whole('Hours after which a channel or mailbox is synced again', 1, 168, 24),
};
