import { z } from 'zod';
import { throwIfAborted } from '../abort.ts';
import type { Answer, Answered } from '../cloud-http/calls.ts';
import { ConnectorError, DeltaCursorInvalid } from '../connector.ts';
import { ITEM_FIELDS } from './drive-items.ts';
import { decodePlace, encodePlace, FeedPlace, FIRST_PAGE, pageAt } from './feed-place.ts';
import { linkPath } from './follow-link.ts';
import { type DriveItem, DriveItemPage } from './graph-answers.ts';
import type { CallHeaders, GraphClient } from './graph-client.ts';
import type { GraphCloud } from './graph-cloud.ts';
import { assertServed, REFUSED, scopeRefused } from './scope-refusal.ts';

/** Entries of one page of the service. Graph may send more than it was asked for. */
const PAGE_SIZE = 200;

/**
 * The headers of a feed. The three of `sharing` go together or the call is refused. They belong to the cursor: each call
 * of a walk and of the deltas after it has the same ones.
 */
const PREFER = {
  sharing: 'deltashowremovedasdeleted, deltatraversepermissiongaps, deltashowsharingchanges',
  plain: undefined,
} as const;

/** Its `link` is the path and query of the link. */
const Place = FeedPlace.extend({ prefer: z.enum(['sharing', 'plain']) });
type Place = z.infer<typeof Place>;

const START: Place = { ...FIRST_PAGE, prefer: 'sharing' };

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
  const place = token === null ? START : decodePlace(Place, token);
  const { body, place: asked } = await askPage(source, place, signal);
  const stored = (link: string) => linkPath(source.cloud, 'delta', { driveId: source.driveId }, link);
  const { entries, next, end } = pageAt('delta', asked, body, PAGE_SIZE, stored);
  return {
    entries,
    nextPageToken: next && encodePlace(next),
    deltaCursor: end === null ? null : encodePlace({ ...START, link: end, prefer: asked.prefer }),
  };
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

type Asked = Answer<DriveItemPage, (typeof REFUSED)[number]>;

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
      return new DeltaCursorInvalid(encodePlace({ ...START, link, prefer: place.prefer }));
    } catch (error) {
      if (!(error instanceof ConnectorError)) throw error;
      // A location elsewhere is not followed.
    }
  }
  return new DeltaCursorInvalid();
}
