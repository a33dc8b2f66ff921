import { systemClock } from '../../kernel/clock.ts';
import { ConnectorError, DeltaCursorInvalid, type SourceItem, type SourceRetention } from '../connector.ts';
import type { ContainerReads } from '../container-connector.ts';
import { kept } from '../kept.ts';
import { isEmptyEnd, isEnd, nextPageToken, placeOf } from '../page-token.ts';
import type { AccountSettings } from './account-settings.ts';
import type { BlobAnswer, BlobCalls } from './blob-calls.ts';
import { readExposure, UNKNOWN_EXPOSURE } from './blob-exposure.ts';
import { type BlobPage, pageFrom } from './blob-listing.ts';
import { blobPath, isBlobName } from './blob-path.ts';
import { assertCredential, containerRefused } from './blob-refusal.ts';
import { refusedOfContainer } from './refused-rights.ts';

type Query = Readonly<Record<string, string>>;

const PAGE_SIZE = 200;
/** The exposure of a container is read once for the items of some pages. */
const EXPOSURE_KEPT_MS = 60_000;
/**
 * What is listed of a blob, the most first. Tags need a right of their own, and a hierarchical namespace has none. A
 * service of an earlier version knows no retention.
 */
const INCLUDED = [
  'metadata,tags,immutabilitypolicy,legalhold',
  'metadata,tags',
  'metadata,immutabilitypolicy,legalhold',
  'metadata',
];
/** The service may answer with empty pages before the one that has the blob. */
const MAX_EMPTY_PAGES = 20;
const IN_ARCHIVE = new Set(['BlobArchived', 'BlobBeingRehydrated']);

export function createContainerReads(
  calls: BlobCalls,
  readSettings: (signal: AbortSignal) => Promise<AccountSettings>,
  container: string,
): ContainerReads {
  const at = (path: string) => `/${container}${path}`;
  let asked = 0;
  /** The blob that is asked for without a credential. It stands for all of them. */
  let sample = '';
  const exposure = kept(systemClock, EXPOSURE_KEPT_MS, (signal) =>
    readExposure(calls, readSettings, at(''), at(sample), signal),
  );
  const retention = kept(systemClock, EXPOSURE_KEPT_MS, (signal) => readRetention(calls, at(''), signal));

  const listed = async (query: Query, signal: AbortSignal): Promise<BlobAnswer> => {
    for (let place = asked; ; place++) {
      const include = INCLUDED[place] ?? 'metadata';
      const list = { restype: 'container', comp: 'list', include, ...query };
      const answer = await calls.get(at(''), list, signal);
      if (answer.status === 200) asked = place;
      if (![400, 403, 409].includes(answer.status) || include === 'metadata') return answer;
    }
  };

  const list = async (query: Query, signal: AbortSignal): Promise<BlobPage> => {
    const answer = await listed(query, signal);
    assertCredential(answer);
    if (answer.status !== 200) throw containerRefused(answer, query);
    if (answer.bytes === null) throw new ConnectorError('permanent', 'blob_listing_too_large');
    const page = await pageFrom(answer.bytes, (path) => calls.urlOf(at(path)));
    const ofContainer = await retention(signal);
    return ofContainer === null
      ? page
      : { ...page, items: page.items.map((item) => withRetention(item, ofContainer)) };
  };

  return {
    name: container,

    refusedRights: (signal) => refusedOfContainer(calls, container, signal),

    page: async (pageToken, signal) => {
      const place = placeOf(container, pageToken);
      const at = (marker: string | null) =>
        list({ maxresults: String(PAGE_SIZE), ...(marker !== null && { marker }) }, signal);
      const page = await at(place?.marker ?? null);
      if (place !== null && isEmptyEnd(page) && !(await isEnd(at, place))) throw new DeltaCursorInvalid();
      const { items, last, marker } = page;
      const noted = { after: last || (place?.after ?? ''), before: place?.marker ?? null };
      const next = nextPageToken(container, place, marker, 'blob_marker_repeated', noted);
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
      sample = path;
      return exposure(signal);
    },

    content: async (name, maxBytes, signal) => {
      const path = blobPath(name);
      if (path === null) return { state: 'inaccessible' };
      const answer = await calls.get(at(path), {}, signal, { maxBytes });
      const { status, bytes, length } = answer;
      if (status === 200)
        return bytes === null ? { state: 'too_large', sizeBytes: length } : { state: 'available', bytes };
      if (IN_ARCHIVE.has(answer.code)) return { state: 'inaccessible', reason: 'archived' };
      assertCredential(answer);
      // A container that is gone or refused answers as a blob that is.
      if (status === 404 || status === 403) await list({ maxresults: '1' }, signal);
      return { state: 'inaccessible' };
    },
  };
}

/** The container's own. Null if it has none, or if it may not be read. It does not say when a policy ends. */
async function readRetention(
  calls: BlobCalls,
  path: string,
  signal: AbortSignal,
): Promise<SourceRetention | null> {
  const { header } = await calls.get(path, { restype: 'container' }, signal, { maxBytes: 0 });
  const legalHold = header('x-ms-has-legal-hold') === 'true';
  const immutable = header('x-ms-has-immutability-policy') === 'true';
  return legalHold || immutable ? { legalHold, immutable, immutableUntil: null } : null;
}

const withRetention = (item: SourceItem, ofContainer: SourceRetention): SourceItem => ({
  ...item,
  facts: {
    tags: item.facts?.tags ?? [],
    retention: {
      legalHold: ofContainer.legalHold || item.facts?.retention?.legalHold === true,
      immutable: ofContainer.immutable || item.facts?.retention?.immutable === true,
      immutableUntil: item.facts?.retention?.immutableUntil ?? null,
    },
  },
});
