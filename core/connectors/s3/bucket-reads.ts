import { systemClock } from '../../kernel/clock.ts';
import { ConnectorError, DeltaCursorInvalid, type Permissions } from '../connector.ts';
import type { ContainerReads } from '../container-connector.ts';
import { kept } from '../kept.ts';
import { isEmptyEnd, nextPageToken, placeOf } from '../page-token.ts';
import { type AccountBlock, aclIn, readBucketAccess, refusedRights } from './bucket-access.ts';
import { grantsOf } from './object-grants.ts';
import { isKey, keyPath } from './object-key.ts';
import type { S3Calls } from './s3-calls.ts';
import { pageFrom, type S3Page } from './s3-listing.ts';
import { bucketRefused } from './s3-refusal.ts';

const PAGE_SIZE = '200';
/** What opens and closes a bucket is read once for the objects of some pages. */
const ACCESS_KEPT_MS = 60_000;
/** Says of an archived object whether somebody restored a copy. */
const OF_LISTING = { 'x-amz-optional-object-attributes': 'RestoreStatus' };

/** `accountId`: null if nobody named the account of the bucket. */
export type Bucket = { name: string; account: AccountBlock; accountId: string | null; isAws: boolean };

export function createBucketReads(
  calls: S3Calls,
  { name, account, accountId, isAws }: Bucket,
): ContainerReads {
  const access = kept(systemClock, ACCESS_KEPT_MS, (signal) =>
    readBucketAccess(calls, { bucket: name, account, isAws }, signal),
  );

  const list = async (query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<S3Page> => {
    const answer = await calls.bucket(
      name,
      '',
      { 'list-type': '2', 'encoding-type': 'url', 'max-keys': PAGE_SIZE, ...query },
      signal,
      { headers: OF_LISTING },
    );
    if (answer.status !== 200) {
      const isTokenRefused = 'continuation-token' in query && answer.code === 'InvalidArgument';
      throw isTokenRefused ? new DeltaCursorInvalid() : bucketRefused(answer);
    }
    if (answer.bytes === null) throw new ConnectorError('permanent', 's3_answer_too_large');
    return pageFrom(answer.bytes, (path) => calls.urlOf(name, path));
  };

  const permissions = async (key: string, signal: AbortSignal): Promise<Permissions> => {
    const path = keyPath(key);
    if (path === null) return { grants: [], complete: false };
    const found = await access(signal);
    const own =
      found.aclsCount === false ? null : await aclIn(await calls.bucket(name, path, { acl: '' }, signal));
    return { grants: grantsOf(found, own, { bucket: name, key, accountId }), complete: false };
  };

  return {
    name,
    refusedRights: (signal) => refusedRights(calls, { bucket: name, account }, signal),

    page: async (pageToken, signal) => {
      const place = placeOf(name, pageToken);
      const page = await list(place === null ? {} : { 'continuation-token': place.marker }, signal);
      const { lastKey: last, token } = page;
      if (place !== null && isEmptyEnd({ last, marker: token }) && (await hasMore(place.after, signal)))
        throw new DeltaCursorInvalid();
      // A page may be empty, so the place is after the last key of any page.
      const noted = { after: last || (place?.after ?? ''), before: null };
      const next = nextPageToken(name, place, token, 's3_token_repeated', noted);
      return { items: page.items, nextPageToken: next, deltaCursor: null };
    },

    // By its listing, which has what the object's own address lacks. No other key that begins with this one comes before.
    item: async (key, signal) => {
      if (!isKey(key)) return null;
      const { items } = await list({ prefix: key, 'max-keys': '1' }, signal);
      return items.find(({ externalId }) => externalId === key) ?? null;
    },

    permissions,

    content: async (key, maxBytes, signal) => {
      const path = keyPath(key);
      if (path === null) return { state: 'inaccessible' };
      const { status, code, bytes, length } = await calls.bucket(name, path, {}, signal, { maxBytes });
      if (status === 200)
        return bytes === null ? { state: 'too_large', sizeBytes: length } : { state: 'available', bytes };
      if (code === 'InvalidObjectState') return { state: 'inaccessible', reason: 'archived' };
      // A bucket that is gone or refused, or a refused credential, answers as an object that is.
      if (status >= 400) await list({ 'max-keys': '1' }, signal);
      return { state: 'inaccessible' };
    },
  };

  async function hasMore(after: string, signal: AbortSignal): Promise<boolean> {
    const query = { 'max-keys': '1', ...(after !== '' && { 'start-after': after }) };
    return (await list(query, signal)).lastKey !== '';
  }
}
