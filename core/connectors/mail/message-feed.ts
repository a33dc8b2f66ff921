import { z } from 'zod';
import { throwIfAborted } from '../abort.ts';
import { ConnectorError, DeltaCursorInvalid } from '../connector.ts';
import { decodePlace, encodePlace, FeedPlace, FIRST_PAGE, pageAt } from '../m365/feed-place.ts';
import { type RefusedStatus, scopeRefused } from '../m365/scope-refusal.ts';
import type { Message } from './mail-answers.ts';
import { type MailboxCalls, PAGE_SIZE } from './mailbox-calls.ts';

/** Its `link` is the query of the link. */
const Place = FeedPlace.extend({
  /** Whether this is a walk over all messages, or what has changed since one. */
  walks: z.boolean(),
  /** Whether each message is read alone, because a page with all of its bodies was too large. */
  lean: z.boolean(),
});
type Place = z.infer<typeof Place>;

/** Entries of a lean page: each message is read alone, and may be as large as an answer can be. */
const LEAN_SIZE = 8;

const START: Place = { ...FIRST_PAGE, walks: true, lean: false };

export type FeedOfMessages = {
  entries: Message[];
  cursor: string;
  isCaughtUp: boolean;
  isWhole: boolean;
};

/**
 * One page of the feed of a folder, as Exchange reports it. A folder that is gone is a walk that shows nothing. Throws
 * `DeltaCursorInvalid` and `ScopeRefused`.
 */
export async function readMessageFeed(
  calls: MailboxCalls,
  folderId: string,
  cursor: string | null,
  signal: AbortSignal,
): Promise<FeedOfMessages> {
  throwIfAborted(signal);
  const place = cursor === null ? START : decodePlace(Place, cursor);
  const { lean } = place;

  const answer = await orTooLarge(() =>
    calls.messages(folderId, place.link, lean ? 'lean' : 'whole', signal),
  );
  if (answer === 'too_large') {
    if (lean) throw new ConnectorError('permanent', 'graph_mail_delta_too_large');
    // What was removed is in the page that cannot be read, so only another walk finds it.
    if (!place.walks) throw new DeltaCursorInvalid();
    return { entries: [], cursor: encodePlace({ ...START, lean: true }), isCaughtUp: false, isWhole: false };
  }
  if (!answer.ok) {
    await assertRestarts(calls, answer.status, signal);
    if (cursor !== null) throw new DeltaCursorInvalid();
    if (answer.status !== 404) throw new ConnectorError('permanent', `graph_mail_delta_${answer.status}`);
    return { entries: [], cursor: encodePlace(START), isCaughtUp: true, isWhole: true };
  }
  const stored = (link: string) => calls.storedLink(folderId, link);
  const size = lean ? LEAN_SIZE : PAGE_SIZE;
  const { entries, next, end } = pageAt<Place, Message>('mail_delta', place, answer.body, size, stored);
  const after = next ?? { ...FIRST_PAGE, link: end, walks: false, lean };
  return {
    entries,
    cursor: encodePlace(after),
    isCaughtUp: next === null,
    isWhole: next === null && place.walks,
  };
}

/** Returns if a new walk of the folder may help, or shows that it is gone. Throws `ScopeRefused` otherwise. */
async function assertRestarts(
  calls: MailboxCalls,
  status: RefusedStatus,
  signal: AbortSignal,
): Promise<void> {
  if (status === 403 || status === 423) throw scopeRefused('mail_delta', status);
  // 410: the state is too old. 400: no state of this feed. 404: the folder is gone, or the mailbox with its inbox.
  if (status === 410) return;
  const inbox = await calls.inbox(signal);
  if (!inbox.ok) throw scopeRefused('mail_folder', inbox.status);
}

/** A message may be larger than an answer that is read. */
export async function orTooLarge<T>(ask: () => Promise<T>): Promise<T | 'too_large'> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ConnectorError && error.safeDiagnostic.endsWith('_too_large')) return 'too_large';
    throw error;
  }
}
