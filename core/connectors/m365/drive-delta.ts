import { createHash } from 'node:crypto';
import { z } from 'zod';
import { throwIfAborted } from '../abort.ts';
import { ConnectorError, DeltaCursorInvalid } from '../connector.ts';
import { ITEM_FIELDS } from './drive-items.ts';
import { linkPath } from './follow-link.ts';
import { type DriveItem, DriveItemPage } from './graph-answers.ts';
import type { Answered, CallHeaders, GraphAnswer, GraphClient } from './graph-client.ts';
import type { GraphCloud } from './graph-cloud.ts';
import { assertServed, REFUSED, scopeRefused } from './scope-refusal.ts';

/** Entries of one page of the service. Graph may send more than it was asked for. */
const PAGE_SIZE = 200;
/** Of one walk: four million entries. */
const MAX_PAGES = 20_000;

/**
 * The headers of a feed. The three of `sharing` go together or the call is refused. They belong to the cursor: each call
 * of a walk and of the deltas after it has the same ones.
 */
const PREFER = {
  sharing: 'deltashowremovedasdeleted, deltatraversepermissiongaps, deltashowsharingchanges',
  plain: undefined,
} as const;

/** Where a walk is. */
const Place = z.strictObject({
  /** Path and query of the link to the page; '' for the first. */
  link: z.string().max(16 * 1024),
  /** Entries of that page that an earlier page of the service had. */
  skip: z.int().min(0).max(100_000),
  pages: z.int().min(0).max(MAX_PAGES),
  /** Digest of an earlier link, by which a circle of links is found. */
  met: z.string().max(64),
  prefer: z.enum(['sharing', 'plain']),
});
type Place = z.infer<typeof Place>;

const START: Place = { link: '', skip: 0, pages: 0, met: '', prefer: 'sharing' };

const encode = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url');

function decode(token: string): Place {
  try {
    return Place.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
  } catch {
    throw new DeltaCursorInvalid();
  }
}

export type FeedPage = {
  /** Null for an entry that cannot be read. */
  entries: (DriveItem | null)[];
  nextPageToken: string | null;
  /** Set on the last page only. */
  deltaCursor: string | null;
};

type Source = { client: GraphClient; cloud: GraphCloud; driveId: string };

/**
 * One page of a drive's feed: from its beginning (null), or from a page token or cursor that an earlier page gave. Throws
 * `DeltaCursorInvalid` where Graph no longer knows the place, or gives the same links again, and `ScopeRefused`.
 */
export async function readFeed(source: Source, token: string | null, signal: AbortSignal): Promise<FeedPage> {
  throwIfAborted(signal);
  const place = token === null ? START : decode(token);
  const { body, place: asked } = await askPage(source, place, signal);
  const entries = body.value.slice(place.skip, place.skip + PAGE_SIZE);
  const next = body['@odata.nextLink'];
  const delta = body['@odata.deltaLink'];
  const stored = (link: string) => linkPath(source.cloud, 'delta', { driveId: source.driveId }, link);
  if (body.value.length > place.skip + PAGE_SIZE) {
    return { entries, nextPageToken: encode({ ...asked, skip: place.skip + PAGE_SIZE }), deltaCursor: null };
  }
  if (delta) {
    const cursor = { ...START, link: stored(delta), prefer: asked.prefer };
    return { entries, nextPageToken: null, deltaCursor: encode(cursor) };
  }
  // Without a link there is no cursor, and so no end of the walk.
  if (!next) throw new ConnectorError('transient', 'graph_delta_malformed');
  return { entries, nextPageToken: encode(nextPlace(asked, stored(next))), deltaCursor: null };
}

/**
 * The place after a page. A link that was met before would lead in a circle. One earlier link is remembered, a later one
 * at each power of two, so a circle of any length is found within twice its length (Brent).
 */
function nextPlace(place: Place, link: string): Place {
  const pages = place.pages + 1;
  const digest = digestOf(link);
  if (digest === place.met || digest === digestOf(place.link) || pages >= MAX_PAGES)
    throw new DeltaCursorInvalid();
  const met = Number.isInteger(Math.log2(pages)) ? digest : place.met;
  return { link, skip: 0, pages, met, prefer: place.prefer };
}

/** The same for links with the same token, which Graph writes as `delta(token='…')` and as a parameter. */
function digestOf(link: string): string {
  const [, token = link] = /token='?([^'&)]+)/.exec(link) ?? [];
  return createHash('sha256').update(token).digest('base64url');
}

/** The page at a place, and the place as it was asked for. A tenant may not allow the headers for sharing. */
async function askPage(source: Source, place: Place, signal: AbortSignal) {
  const first = await ask(source, place, signal);
  if (first.ok) return { body: first.body, place };
  if (place.link === '' && (first.status === 400 || first.status === 403)) {
    const plain = { ...place, prefer: 'plain' as const };
    const second = await ask(source, plain, signal);
    if (second.ok) return { body: second.body, place: plain };
    throw await refusal(source, plain, second, signal);
  }
  throw await refusal(source, place, first, signal);
}

type Asked = GraphAnswer<DriveItemPage, (typeof REFUSED)[number]>;

function ask({ client, driveId }: Source, { link, prefer }: Place, signal: AbortSignal): Promise<Asked> {
  const Prefer = PREFER[prefer];
  const headers: CallHeaders = Prefer === undefined ? {} : { Prefer };
  const options = { headers, schema: DriveItemPage, expect: REFUSED, signal };
  return link === ''
    ? client.call('delta', { driveId }, { ...options, query: { $top: PAGE_SIZE, $select: ITEM_FIELDS } })
    : client.follow('delta', { driveId }, link, options);
}

/**
 * 410: the cursor is too old. 400: it is malformed, unless the library is refused. Both begin again. A beginning that is
 * answered with 400 while the library is served is a fault of the call. The status decides and not the code.
 */
async function refusal(
  { client, cloud, driveId }: Source,
  place: Place,
  { status, location }: Exclude<Asked, Answered<DriveItemPage>>,
  signal: AbortSignal,
): Promise<ConnectorError> {
  if (status === 400) {
    await assertServed(client, driveId, signal);
    return place.link === '' ? new ConnectorError('permanent', 'graph_delta_400') : new DeltaCursorInvalid();
  }
  if (status !== 410) return scopeRefused('delta', status);
  if (location !== null) {
    try {
      const link = linkPath(cloud, 'delta', { driveId }, location);
      return new DeltaCursorInvalid(encode({ ...START, link, prefer: place.prefer }));
    } catch (error) {
      if (!(error instanceof ConnectorError)) throw error;
      // A location elsewhere is not followed.
    }
  }
  return new DeltaCursorInvalid();
}
