import type { MessagePage, SourceMessage } from '../connectors/message-source.ts';
import { withTx } from '../db/tx.ts';
import { momentOf } from '../work/moment.sql.ts';
import { holdLease, RENEWED_AFTER_MS } from './containers.sql.ts';
import { knownMessages } from './messages.sql.ts';
import { type Look, type Read, readMessage } from './read-message.ts';
import { type Turn, write } from './turn.ts';

/** Messages that are read at once. Each may hold the bytes of its attachments. */
const AT_ONCE = 2;

/** `failure`: what kept the rest of the page from being read. Null if all of it was. */
export type PageRead = { read: Read[]; unchanged: SourceMessage[]; failure: unknown };

/** Reads the messages of a page whose content is new, each once. */
export async function readPage(
  { parts, tenantId, leased }: Turn,
  look: Look,
  page: MessagePage,
): Promise<PageRead> {
  const messages = [...new Map(page.messages.map((message) => [message.externalId, message])).values()];
  const ids = messages.map(({ externalId }) => externalId);
  const known = await withTx(parts.db, { tenantId, mode: 'read' }, (tx) => knownMessages(tx, leased, ids));
  const isKnown = ({ externalId, contentVersion, hasOutsiders }: SourceMessage) => {
    const stored = known.get(externalId);
    return stored?.contentVersion === contentVersion && stored.hasOutsiders === hasOutsiders;
  };
  const waiting = messages.filter((message) => !isKnown(message)).values();
  const read: Read[] = [];
  let failure: unknown = null;
  let renewedAt = parts.clock();
  const renew = async () => {
    if (parts.clock() - renewedAt < RENEWED_AFTER_MS) return;
    renewedAt = parts.clock();
    await write({ parts, tenantId }, (tx) => holdLease(tx, leased, momentOf(parts.clock)));
  };
  const lane = async () => {
    for (const message of waiting) {
      if (failure !== null) return;
      try {
        look.signal.throwIfAborted();
        await renew();
        read.push(await readMessage(look, message));
      } catch (error) {
        failure ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { read, unchanged: messages.filter(isKnown), failure };
}
