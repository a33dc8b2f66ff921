import { ConnectorError, DeltaCursorInvalid, ScopeRefused } from '../connectors/connector.ts';
import type { MessagePage } from '../connectors/message-source.ts';
import { withTx } from '../db/tx.ts';
import { momentOf } from '../work/moment.sql.ts';
import { beginSync, holdLease, LeaseLost, type Leaving, leaveContainer } from './containers.sql.ts';
import { nextSyncInMs, retryInMs } from './due.ts';
import { beginWalk, deleteStale, type Feed, keepFeeds, nextFeed, STALE_AT_ONCE } from './feeds.sql.ts';
import { judgeContainer } from './judge.ts';
import type { Look } from './read-message.ts';
import { readPage } from './read-page.ts';
import { loadReadingRules } from './reading-rules.ts';
import { storePage } from './store-page.ts';
import { type Tally, type Turn, write } from './turn.ts';

/** `left`: to be continued now. `cut_off`: to be continued later. */
export type TurnEnd =
  | { kind: 'covered' | 'left' }
  | { kind: 'refused'; error: ScopeRefused }
  | { kind: 'cut_off'; error: ConnectorError };

const MIB = 1024 * 1024;

/**
 * Syncs a leased container until it is covered or the turn is over, and ends the lease. Each page is stored together
 * with the cursor behind it, so that the next process that leases the container goes on there. Throws errors that are not
 * the source's.
 */
export async function syncContainer(turn: Turn): Promise<TurnEnd> {
  const { parts, tenantId, leased, signal } = turn;
  try {
    const leaving = await readOn(turn);
    await leave(turn, leaving);
    return { kind: leaving.kind };
  } catch (error) {
    if (error instanceof LeaseLost) return { kind: 'left' };
    if (error instanceof ScopeRefused) {
      const inMs = nextSyncInMs(parts.config, leased.containerId, parts.clock());
      await leave(turn, { kind: 'refused', reason: error.reason, inMs });
      return { kind: 'refused', error };
    }
    if (signal.aborted) {
      await leave(turn, { kind: 'left', inMs: 0 });
      return { kind: 'left' };
    }
    const ofSource = error instanceof ConnectorError ? error : null;
    const nextSync = nextSyncInMs(parts.config, leased.containerId, parts.clock());
    await leave(turn, { kind: 'left', inMs: retryInMs(ofSource, nextSync) });
    if (ofSource === null) throw error;
    parts.log.warn('message_sync_failed', { tenantId, retryClass: ofSource.retryClass }, ofSource);
    return { kind: 'cut_off', error: ofSource };
  }
}

const leave = (turn: Turn, leaving: Leaving): Promise<void> =>
  write(turn, (tx) => leaveContainer(tx, turn.leased, leaving, momentOf(turn.parts.clock)));

async function readOn(turn: Turn): Promise<Extract<Leaving, { kind: 'covered' | 'left' }>> {
  const { parts, leased, signal } = turn;
  if (leased.syncBeganAt === null) await begin(turn);
  const look = await lookOf(turn);
  /** A feed that fails does not hold up the others. */
  const failed = new Map<string, ConnectorError>();
  for (let pages = 0; pages < turn.pages && parts.clock() < turn.until && !signal.aborted; pages++) {
    const feed = await write(turn, (tx) => nextFeed(tx, leased, [...failed.keys()]));
    if (feed === null) {
      if (failed.size === 0) return endSync(turn);
      break;
    }
    try {
      await readFeed(turn, look, feed);
    } catch (error) {
      if (signal.aborted || !isOfFeed(error)) throw error;
      failed.set(feed.feed, error);
    }
  }
  const [failure] = failed.values();
  if (failure !== undefined) throw failure;
  return { kind: 'left', inMs: 0 };
}

const isOfFeed = (error: unknown): error is ConnectorError =>
  error instanceof ConnectorError && !(error instanceof ScopeRefused) && !isOfSource(error);

/** Whether the source would answer another container in the same way. */
export const isOfSource = ({ retryClass }: ConnectorError): boolean =>
  retryClass === 'throttled' || retryClass === 'auth';

/** Asks the source who can read the container and which feeds it has, and stores both with the begin of the sync. */
async function begin(turn: Turn): Promise<void> {
  const { source, leased, signal, parts } = turn;
  const audience = await source.readAudience(leased.externalId, signal);
  const folder = await source.readFilesFolder(leased.externalId, signal);
  const feeds = await source.listFeeds(leased.externalId, signal);
  const now = momentOf(parts.clock);
  await write(turn, async (tx) => {
    await holdLease(tx, leased, now);
    await beginSync(tx, leased, { audience, folder }, now);
    await keepFeeds(tx, leased, feeds, now);
    await judgeContainer(tx, leased, now);
  });
}

const lookOf = async (turn: Turn): Promise<Look> => ({
  source: turn.source,
  containerExternalId: turn.leased.externalId,
  analysis: turn.parts.analysis,
  rules: await withTx(turn.parts.db, { tenantId: turn.tenantId, mode: 'read' }, loadReadingRules),
  maxBytes: turn.parts.config.SVC_EXTRACT_MAX_INPUT_MB * MIB,
  log: turn.parts.log,
  tenantId: turn.tenantId,
  signal: turn.signal,
});

async function readFeed(turn: Turn, look: Look, feed: Feed): Promise<void> {
  const { leased, parts } = turn;
  const now = () => momentOf(parts.clock);
  const page = await listPage(turn, feed);
  if (page === 'cursor_invalid') {
    return write(turn, async (tx) => {
      await holdLease(tx, leased, now());
      await beginWalk(tx, leased, feed);
    });
  }
  if (page === 'feed_gone') return;
  const read = await readPage(turn, look, page);
  const stored = await write(turn, (tx) => storePage(tx, leased, feed, page, read, now()));
  for (const [counted, count] of Object.entries(stored)) turn.tally[counted as keyof Tally] += count;
  if (read.failure !== null) throw read.failure;
}

/** A folder that is gone since the feeds were listed does not mean that the mailbox is. */
async function listPage(turn: Turn, feed: Feed): Promise<MessagePage | 'cursor_invalid' | 'feed_gone'> {
  const { source, leased, signal, parts } = turn;
  try {
    return await source.listMessages(leased.externalId, feed.feed, feed.cursor, signal);
  } catch (error) {
    if (error instanceof DeltaCursorInvalid && feed.cursor !== null) return 'cursor_invalid';
    if (!(error instanceof ScopeRefused && error.reason === 'not_found' && feed.feed !== '')) throw error;
    const feeds = await source.listFeeds(leased.externalId, signal);
    if (feeds.includes(feed.feed)) throw error;
    const now = momentOf(parts.clock);
    await write(turn, async (tx) => {
      await holdLease(tx, leased, now);
      await keepFeeds(tx, leased, feeds, now);
    });
    return 'feed_gone';
  }
}

/** All feeds are caught up with. What whole walks did not show goes before the container counts as covered. */
async function endSync(turn: Turn): Promise<Extract<Leaving, { kind: 'covered' | 'left' }>> {
  const { parts, leased, signal } = turn;
  const now = () => momentOf(parts.clock);
  let deleted = STALE_AT_ONCE;
  while (deleted === STALE_AT_ONCE) {
    if (parts.clock() >= turn.until || signal.aborted) return { kind: 'left', inMs: 0 };
    deleted = await write(turn, async (tx) => {
      await holdLease(tx, leased, now());
      const count = await deleteStale(tx, leased);
      if (count > 0) await judgeContainer(tx, leased, now());
      return count;
    });
    turn.tally.gone += deleted;
  }
  return { kind: 'covered', inMs: nextSyncInMs(parts.config, leased.containerId, parts.clock()) };
}
