import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ConnectorError, type SourceItem } from '../connector.ts';
import { mimeTypeOf } from '../mime-types.ts';
import { many, xmlFrom } from '../xml-answer.ts';
import { keyPath } from './object-key.ts';

const S3Object = z.object({
  Key: z.string(),
  LastModified: z.string(),
  ETag: z.string(),
  Size: z.string().transform(Number).pipe(z.int().nonnegative()),
  StorageClass: z.string().default('STANDARD'),
  RestoreStatus: z
    .object({ IsRestoreInProgress: z.string().optional(), RestoreExpiryDate: z.string().optional() })
    .optional(),
});
type S3Object = z.infer<typeof S3Object>;
const Listing = z.object({
  Contents: many(S3Object),
  IsTruncated: z.string().transform((text) => text === 'true'),
  NextContinuationToken: z.string().default(''),
  EncodingType: z.string().optional(),
});

/** One page of a bucket. `lastKey` is that of its last object, an item or not; empty without objects. */
export type S3Page = { items: SourceItem[]; token: string | null; lastKey: string };

/** Parses the answer of ListObjectsV2. Markers of folders are no items. */
export async function pageFrom(xml: Uint8Array, urlOf: (path: string) => string): Promise<S3Page> {
  const { data } = Listing.safeParse(await xmlFrom(xml));
  if (data === undefined) throw new ConnectorError('transient', 's3_listing_malformed');
  const { IsTruncated, NextContinuationToken: token } = data;
  // The end of such a page is not the end of the bucket.
  if (IsTruncated && token === '') throw new ConnectorError('transient', 's3_token_missing');
  const objects = data.Contents.map((object) =>
    data.EncodingType === 'url' ? { ...object, Key: decoded(object.Key) } : object,
  );
  return {
    items: objects.filter((object) => !isFolderMarker(object)).map((object) => itemOf(object, urlOf)),
    token: IsTruncated ? token : null,
    lastKey: objects.at(-1)?.Key ?? '',
  };
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    throw new ConnectorError('transient', 's3_listing_malformed');
  }
}

const isFolderMarker = ({ Key, Size }: S3Object) => Key.endsWith('/') && Size === 0;

function itemOf(object: S3Object, urlOf: (path: string) => string): SourceItem {
  const { Key: key, ETag, LastModified, Size, StorageClass } = object;
  const name = key.slice(key.lastIndexOf('/', key.length - 2) + 1) || key;
  const path = keyPath(key);
  const archived = isArchived(object);
  return {
    externalId: key,
    name,
    path: key,
    kind: 'file',
    sizeBytes: Size,
    mimeType: mimeTypeOf(name),
    sourceUrl: path === null ? null : urlOf(path),
    // With the key, since a copy under another one keeps the rest.
    sourceVersion: createHash('sha256')
      .update(JSON.stringify([key, ETag, LastModified, StorageClass, archived]))
      .digest('base64url'),
    contentVersion: `${ETag}.${Size}`,
    createdAt: null,
    modifiedAt: timeOf(LastModified),
    modifiedBy: null,
    ...(archived && { notRead: 'archived' }),
  };
}

/** In an archive, and without a copy that somebody restored. */
function isArchived({ StorageClass, RestoreStatus }: S3Object): boolean {
  if (StorageClass !== 'GLACIER' && StorageClass !== 'DEEP_ARCHIVE') return false;
  return !(Date.parse(RestoreStatus?.RestoreExpiryDate ?? '') > Date.now());
}

function timeOf(text: string): string | null {
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
