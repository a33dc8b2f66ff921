import type { MessagePage } from '../connectors/message-source.ts';
import type { Tx } from '../db/tx.ts';
import { proofSeverity } from '../findings/risk.ts';
import type { Moment } from '../work/moment.sql.ts';
import { holdLease, type Leased, noteRead } from './containers.sql.ts';
import { addFeeds, advance, type Feed } from './feeds.sql.ts';
import { keepUnconfirmed, openFindings, resolveFindings } from './findings.sql.ts';
import { judgeContainer } from './judge.ts';
import { deleteGone, placeMessages, storeMessages } from './messages.sql.ts';
import type { Read } from './read-message.ts';
import type { PageRead } from './read-page.ts';
import type { Tally } from './turn.ts';

/**
 * Stores what was read of a page, with its findings. The cursor moves behind the page if all of it was read. Otherwise
 * the page is listed again, and what is stored of it is known then.
 */
export async function storePage(
  tx: Tx,
  leased: Leased,
  feed: Feed,
  page: MessagePage,
  { read, unchanged, failure }: PageRead,
  now: Moment,
): Promise<Tally> {
  await holdLease(tx, leased, now);
  await noteRead(tx, leased);
  const feeds = [...read.map(({ message }) => message), ...unchanged].map((message) => message.feed);
  await addFeeds(tx, leased, [...new Set(feeds)]);
  const ids = await storeMessages(tx, leased, read, now);
  await storeFindings(tx, leased, read, ids, now);
  await placeMessages(tx, leased, unchanged);
  const present = new Set(page.messages.map(({ externalId }) => externalId));
  const gone =
    failure === null
      ? await deleteGone(
          tx,
          leased,
          page.gone.filter((externalId) => !present.has(externalId)),
        )
      : 0;
  if (read.length + gone > 0) await judgeContainer(tx, leased, now);
  if (failure === null) await advance(tx, leased, feed, page, now);
  const added = [...ids.values()].filter(({ isNew }) => isNew).length;
  return { added, changed: ids.size - added, unchanged: unchanged.length, gone };
}

/** What could not be read of a message resolves no finding, and lowers none. */
async function storeFindings(
  tx: Tx,
  leased: Leased,
  read: readonly Read[],
  ids: ReadonlyMap<string, { messageId: string }>,
  now: Moment,
): Promise<void> {
  const judged = read.flatMap(({ message, level, isWhole }) => {
    const messageId = ids.get(message.externalId)?.messageId;
    return messageId === undefined
      ? []
      : [{ messageId, level, isWhole, isOutside: message.hasOutsiders === true }];
  });
  const inPart = judged.filter(({ isWhole }) => !isWhole);
  const kept = await keepUnconfirmed(tx, leased, inPart, now);
  const known = judged.filter(({ messageId }) => !kept.has(messageId));
  const proven = known.flatMap(({ messageId, level, isOutside }) =>
    level === null
      ? []
      : [{ messageId, level, severity: proofSeverity(level, isOutside ? 'external' : null) }],
  );
  await openFindings(tx, leased, proven, now);
  const clean = known.filter(({ level }) => level === null).map(({ messageId }) => messageId);
  await resolveFindings(tx, leased, clean, now);
}
