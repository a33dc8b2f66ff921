import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import { atMoment, type Moment, sinceMoment } from '../work/moment.sql.ts';
import type { Leased } from './containers.sql.ts';

const DAY_MS = 86_400_000;
/** A source may lose a message that was moved to and fro. A whole walk from time to time finds it. */
const WALK_AGAIN_MS = 30 * DAY_MS;

export type Feed = { feed: string; cursor: string | null; walk: number };

/**
 * Notes the feeds that a container has now. One that was walked long ago is walked again. The messages of one that is
 * gone are stale, and it goes with them. All others are walked again then: a message may have left it before, and a feed
 * may leave out what was moved into it.
 */
export async function keepFeeds(
  tx: Tx,
  { containerId }: Leased,
  feeds: readonly string[],
  now: Moment,
): Promise<void> {
  await tx.execute(sql`
    insert into message_feeds (tenant_id, container_id, feed)
    select ${tx.tenantId}, ${containerId}, feed from unnest(${feeds}::text[]) as l (feed)
    on conflict (tenant_id, container_id, feed) do update set caught_up_at = null
      where message_feeds.caught_up_at = 'infinity'`);
  const gone = await tx.execute(sql`
    update message_feeds
       set walk = walk + 1, cursor = null, whole_walk = walk + 1, caught_up_at = 'infinity'
     where tenant_id = ${tx.tenantId} and container_id = ${containerId} and not feed = any(${feeds}::text[])
       and caught_up_at is distinct from 'infinity'`);
  await tx.execute(sql`
    update message_feeds set walk = walk + 1, cursor = null, walked_at = null
     where tenant_id = ${tx.tenantId} and container_id = ${containerId}
       and caught_up_at is distinct from 'infinity'
       and (${gone > 0} or walked_at <= ${sinceMoment(now, -WALK_AGAIN_MS)})`);
}

/** Notes feeds that a page names and that were not listed, so that their messages have a walk. */
export async function addFeeds(tx: Tx, { containerId }: Leased, feeds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    insert into message_feeds (tenant_id, container_id, feed)
    select ${tx.tenantId}, ${containerId}, feed from unnest(${feeds}::text[]) as l (feed)
    on conflict do nothing`);
}

/** A feed that the sync under way has not caught up with yet. */
export async function nextFeed(
  tx: Tx,
  { containerId }: Leased,
  but: readonly string[],
): Promise<Feed | null> {
  const [feed] = await tx.query<Feed>(sql`
    select f.feed, f.cursor, f.walk from message_feeds f join message_containers c using (tenant_id, container_id)
     where f.tenant_id = ${tx.tenantId} and f.container_id = ${containerId} and not f.feed = any(${but}::text[])
       and (f.caught_up_at is null or f.caught_up_at < c.sync_began_at)
     order by f.caught_up_at nulls first, f.feed limit 1`);
  return feed ?? null;
}

/** The source no longer knows the cursor: all messages are walked again. */
export async function beginWalk(tx: Tx, { containerId }: Leased, { feed, walk }: Feed): Promise<void> {
  await tx.execute(sql`
    update message_feeds set walk = walk + 1, cursor = null
     where tenant_id = ${tx.tenantId} and container_id = ${containerId} and feed = ${feed} and walk = ${walk}`);
  await tx.execute(sql`
    update message_containers set coverage = 'partial'
     where tenant_id = ${tx.tenantId} and container_id = ${containerId} and coverage = 'covered'`);
}

/** Moves the cursor of a feed behind a page. */
export async function advance(
  tx: Tx,
  { containerId }: Leased,
  { feed, walk }: Feed,
  page: { cursor: string; isCaughtUp: boolean; isWhole: boolean },
  now: Moment,
): Promise<void> {
  await tx.execute(sql`
    update message_feeds
       set cursor = ${page.cursor},
           caught_up_at = case when ${page.isCaughtUp} then ${atMoment(now)} else caught_up_at end,
           whole_walk = case when ${page.isWhole} then walk else whole_walk end,
           walked_at = case when ${page.isWhole} then ${atMoment(now)} else walked_at end
     where tenant_id = ${tx.tenantId} and container_id = ${containerId} and feed = ${feed} and walk = ${walk}`);
}

/** Of one transaction. */
export const STALE_AT_ONCE = 1_000;

/**
 * Deletes messages that the newest whole walk of their feed did not show, at most `STALE_AT_ONCE`, and feeds that are
 * gone with all their messages.
 */
export async function deleteStale(tx: Tx, { containerId }: Leased): Promise<number> {
  const deleted = await tx.execute(sql`
    delete from messages where tenant_id = ${tx.tenantId} and message_id in (
      select m.message_id from message_feeds f
       cross join lateral (
         select message_id from messages
          where tenant_id = f.tenant_id and container_id = f.container_id and feed = f.feed and walk < f.whole_walk
          limit ${STALE_AT_ONCE}) m
       where f.tenant_id = ${tx.tenantId} and f.container_id = ${containerId} limit ${STALE_AT_ONCE})`);
  if (deleted < STALE_AT_ONCE) {
    await tx.execute(sql`
      delete from message_feeds
       where tenant_id = ${tx.tenantId} and container_id = ${containerId} and caught_up_at = 'infinity'`);
  }
  return deleted;
}
