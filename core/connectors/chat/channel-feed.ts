import { z } from 'zod';
import { throwIfAborted } from '../abort.ts';
import type { Answer } from '../cloud-http/calls.ts';
import { ConnectorError, DeltaCursorInvalid } from '../connector.ts';
import type { AllowedCall } from '../m365/allowed-calls.ts';
import { decodePlace, encodePlace, FeedPlace, FIRST_PAGE, placeAfter } from '../m365/feed-place.ts';
import { linkPath } from '../m365/follow-link.ts';
import type { GraphClient } from '../m365/graph-client.ts';
import type { GraphCloud } from '../m365/graph-cloud.ts';
import { REFUSED, type RefusedStatus, scopeRefused } from '../m365/scope-refusal.ts';
import type { ChannelId } from './channel-id.ts';
import type { Posted } from './channel-message.ts';
import { ReplyPage, type RootMessage, RootMessagePage } from './chat-answers.ts';

/** Messages of one page of the service, replies included. */
const PAGE_SIZE = 50;
/** Roots that Graph is asked for at once. With up to 1,000 replies each, 50 may be too large an answer. */
const TOPS = [50, 5] as const;

/**
 * Where a sync of a channel is. A walk is the delta from its beginning (`recent`), which has eight months, the plain list
 * (`older`), and the changes since the walk began. Then the feed goes on with `changes`.
 */
const Place = FeedPlace.extend({
  phase: z.enum(['recent', 'older', 'changes']),
  /** The rest of the replies to one root, which come before the rest of the page. */
  thread: FeedPlace.extend({ rootId: z.string().max(200) }).nullable(),
  /** In phase `older`: the link to the changes since the walk began. */
  delta: z.string().max(16 * 1024),
  /** In phase `changes`: whether it ends a walk. */
  endsWalk: z.boolean(),
  top: z.union(TOPS.map((top) => z.literal(top))),
});
type Place = z.infer<typeof Place>;

const START: Place = {
  ...FIRST_PAGE,
  phase: 'recent',
  thread: null,
  delta: '',
  endsWalk: false,
  top: TOPS[0],
};

export type ChannelPage = { posted: Posted[]; cursor: string; isCaughtUp: boolean; isWhole: boolean };

type Source = { client: GraphClient; cloud: GraphCloud; channel: ChannelId; kept: KeptPage };

/** The page of Graph that was read last. A page with many replies is more than one page of the service. */
export type KeptPage = { last: { key: string; page: RootMessagePage } | null };

/**
 * One page of the messages of a channel, from its beginning (null) or a cursor. Throws `DeltaCursorInvalid` where Graph no
 * longer knows the place, `ScopeRefused`, and a transient error where Graph gives the same link again.
 */
export async function readChannelPage(
  source: Source,
  cursor: string | null,
  signal: AbortSignal,
): Promise<ChannelPage> {
  throwIfAborted(signal);
  const place = cursor === null ? START : decodePlace(Place, cursor);
  if (place.thread !== null) return threadPage(source, place, place.thread, signal);
  const page = await rootsAt(source, place, signal);
  if (page === 'too_large') return going([], inSmallerPages(place));
  const entries = page.value.flatMap(chainOf);
  const rest = entries.slice(place.skip, place.skip + PAGE_SIZE);
  const cut = rest.findIndex(({ more }) => more !== null);
  const taken = cut === -1 ? rest : rest.slice(0, cut + 1);
  const more = taken.at(-1)?.more ?? null;
  const skip = place.skip + taken.length;
  if (more !== null || skip < entries.length) {
    const thread = more && { ...FIRST_PAGE, rootId: more.rootId, link: repliesLink(source, more) };
    return going(taken, { ...place, skip, thread });
  }
  source.kept.last = null;
  return afterPage(source, place, page, taken);
}

const going = (posted: Posted[], place: Place): ChannelPage => ({
  posted,
  cursor: encodePlace(place),
  isCaughtUp: false,
  isWhole: false,
});

/** A message of a page. `more`: further replies to its root come behind it. */
type Entry = Posted & { more: MoreReplies | null };
type MoreReplies = { rootId: string; link: string };

const repliesLink = ({ cloud, channel }: Source, { rootId, link }: MoreReplies): string =>
  linkPath(cloud, 'channel_replies', { ...channel, messageId: rootId }, link);

/** A root and its replies. */
function chainOf(root: RootMessage): Entry[] {
  const { id: rootId, replies, 'replies@odata.nextLink': link } = root;
  const chain: Posted[] = [
    { message: root, rootId: null },
    ...(replies ?? []).map((message) => ({ message, rootId })),
  ];
  const more = link ? { rootId, link } : null;
  return chain.map((posted, at) => ({ ...posted, more: at === chain.length - 1 ? more : null }));
}

function afterPage(
  { cloud, channel }: Source,
  place: Place,
  { '@odata.nextLink': more, '@odata.deltaLink': delta }: RootMessagePage,
  posted: Posted[],
): ChannelPage {
  const call = callOf(place);
  const stored = (link: string) => linkPath(cloud, call, channel, link);
  if (more) return going(posted, next(place, stored(more), call));
  if (place.phase === 'older') {
    const { delta: link, top } = place;
    return going(posted, { ...START, phase: 'changes', link, endsWalk: true, top });
  }
  // Without a link there is no cursor, and so no end of the walk.
  if (!delta) throw new ConnectorError('transient', `graph_${call}_malformed`);
  if (place.phase === 'recent')
    return going(posted, { ...START, phase: 'older', delta: stored(delta), top: place.top });
  const cursor = encodePlace({ ...START, phase: 'changes', link: stored(delta), top: place.top });
  return { posted, cursor, isCaughtUp: true, isWhole: place.endsWalk };
}

const callOf = ({ phase }: Place) => (phase === 'older' ? 'channel_messages' : 'channel_delta');

/** The place behind a page. Links that lead in a circle are a fault that passes: the same page is asked for again. */
function next<P extends FeedPlace>(place: P, link: string, call: AllowedCall): P {
  try {
    return placeAfter(place, link);
  } catch (error) {
    if (!(error instanceof DeltaCursorInvalid)) throw error;
    throw new ConnectorError('transient', `graph_${call}_malformed`);
  }
}

/** The same list from its beginning, with fewer roots in a page. The links of a delta keep the number that it began with. */
function inSmallerPages(place: Place): Place {
  const top = TOPS[TOPS.indexOf(place.top) + 1];
  if (top === undefined) throw new ConnectorError('permanent', `graph_${callOf(place)}_too_large`);
  if (place.phase === 'changes') throw new DeltaCursorInvalid();
  return { ...place, ...FIRST_PAGE, top };
}

async function rootsAt(
  { client, channel, kept }: Source,
  place: Place,
  signal: AbortSignal,
): Promise<RootMessagePage | 'too_large'> {
  const { link } = place;
  const call = callOf(place);
  const key = JSON.stringify([channel, call, link]);
  if (place.skip > 0 && kept.last?.key === key) return kept.last.page;
  kept.last = null;
  const options = { schema: RootMessagePage, expect: REFUSED, signal };
  let answer: Answer<RootMessagePage, RefusedStatus>;
  try {
    answer = await (link === ''
      ? client.call(call, channel, { ...options, query: { $top: place.top, $expand: 'replies' } })
      : client.follow(call, channel, link, options));
  } catch (error) {
    if (error instanceof ConnectorError && error.safeDiagnostic === `graph_${call}_too_large`)
      return 'too_large';
    throw error;
  }
  if (!answer.ok) throw refusal(call, answer.status, link);
  kept.last = { key, page: answer.body };
  return answer.body;
}

/** A page of further replies to one root. A root that is gone meanwhile has no more. */
async function threadPage(
  source: Source,
  place: Place,
  thread: NonNullable<Place['thread']>,
  signal: AbortSignal,
): Promise<ChannelPage> {
  const call = 'channel_replies';
  const { rootId, link } = thread;
  const values = { ...source.channel, messageId: rootId };
  const answer = await source.client.follow(call, values, link, {
    schema: ReplyPage,
    expect: REFUSED,
    signal,
  });
  if (!answer.ok && answer.status === 404) return going([], { ...place, thread: null });
  if (!answer.ok) throw refusal(call, answer.status, link);
  const { value, '@odata.nextLink': more } = answer.body;
  const skip = thread.skip + PAGE_SIZE;
  const posted = value.slice(thread.skip, skip).map((message) => ({ message, rootId }));
  if (skip < value.length) return going(posted, { ...place, thread: { ...thread, skip } });
  const rest = more ? next(thread, repliesLink(source, { rootId, link: more }), call) : null;
  return going(posted, { ...place, thread: rest });
}

/** 410: the place is too old. 400: it is malformed. Both begin again, unless it was the beginning. */
function refusal(call: AllowedCall, status: RefusedStatus, link: string): ConnectorError {
  if (status === 410 || (status === 400 && link !== '')) return new DeltaCursorInvalid();
  return status === 400 ? new ConnectorError('permanent', `graph_${call}_400`) : scopeRefused(call, status);
}
