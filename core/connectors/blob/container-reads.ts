import { ConnectorError, type Permissions } from '../connector.ts';
import type { ContainerReads } from '../container-connector.ts';
import { nextPageToken, placeOf } from '../page-token.ts';
import type { BlobCalls } from './blob-calls.ts';
import { readExposure, UNKNOWN_EXPOSURE } from './blob-exposure.ts';
import { type BlobPage, pageFrom } from './blob-listing.ts';
import { blobPath, isBlobName } from './blob-path.ts';
import { assertCredential, containerRefused } from './blob-refusal.ts';

type Query = Readonly<Record<string, string>>;

const PAGE_SIZE = 200;
/** The exposure of a container is read once for the items of some pages. */
const EXPOSURE_KEPT_MS = 60_000;
/** The service may answer with empty pages before the one that has the blob. */
const MAX_EMPTY_PAGES = 20;

export function createContainerReads(calls: BlobCalls, container: string): ContainerReads {
  const at = (path: string) => `/${container}${path}`;
  let readsTags = true;
  let kept: { read: Promise<Permissions>; until: number } | undefined;

  const listed = (include: string, query: Query, signal: AbortSignal) =>
    calls.get(at(''), { restype: 'container', comp: 'list', include, ...query }, signal);

  const list = async (query: Query, signal: AbortSignal): Promise<BlobPage> => {
    let answer = await listed(readsTags ? 'metadata,tags' : 'metadata', query, signal);
    if (readsTags && [400, 403, 409].includes(answer.status)) {
      // Tags need a right of their own, and a hierarchical namespace has none.
      answer = await listed('metadata', query, signal);
      readsTags = answer.status !== 200;
    }
    assertCredential(answer);
    if (answer.status !== 200) throw containerRefused(answer);
    if (answer.bytes === null) throw new ConnectorError('permanent', 'blob_listing_too_large');
    return pageFrom(answer.bytes, (path) => calls.urlOf(at(path)));
  };

  return {
    name: container,

    page: async (pageToken, signal) => {
      const place = placeOf(container, pageToken);
      const { items, marker } = await list(
        { maxresults: String(PAGE_SIZE), ...(place !== null && { marker: place.marker }) },
        signal,
      );
      const next = nextPageToken(container, place, marker, 'blob_marker_repeated');
      return { items, nextPageToken: next, deltaCursor: null };
    },

    // By its listing, which has what the blob's own address lacks. No other name that begins with this one comes before.
    item: async (name, signal) => {
      if (!isBlobName(name)) return null;
      const one = { prefix: name, maxresults: '1' };
      let page = await list(one, signal);
      for (let pages = 1; page.items.length === 0 && page.marker !== null && pages < MAX_EMPTY_PAGES; pages++)
        page = await list({ ...one, marker: page.marker }, signal);
      return page.items.find(({ externalId }) => externalId === name) ?? null;
    },

    // Unknown for a name that no address can hold.
    permissions: async (itemName, signal) => {
      const path = blobPath(itemName);
      if (path === null) return UNKNOWN_EXPOSURE;
      if (kept === undefined || performance.now() >= kept.until) {
        const read = readExposure(calls, at(''), at(path), signal);
        kept = { read, until: performance.now() + EXPOSURE_KEPT_MS };
        read.catch(() => {
          kept = undefined;
        });
      }
      return kept.read;
    },

    content: async (name, maxBytes, signal) => {
      const path = blobPath(name);
      if (path === null) return { state: 'inaccessible' };
      const answer = await calls.get(at(path), {}, signal, { maxBytes });
      const { status, bytes, length } = answer;
      if (status === 200)
        return bytes === null ? { state: 'too_large', sizeBytes: length } : { state: 'available', bytes };
      assertCredential(answer);
      // A container that is gone or refused answers as a blob that is.
      if (status === 404 || status === 403) await list({ maxresults: '1' }, signal);
      return { state: 'inaccessible' };
    },
  };
}
