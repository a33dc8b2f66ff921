import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ConnectorError, type SourceItem, type SourceRetention } from '../connector.ts';
import { many, xmlFrom } from '../xml-answer.ts';
import { blobPath } from './blob-path.ts';
import { Name, parent, Text, timeOf } from './listing-parts.ts';

const Blob = z.object({
  Name,
  Properties: parent({
    'Creation-Time': Text.optional(),
    'Last-Modified': Text,
    Etag: Text,
    'Content-Length': Text.transform(Number).pipe(z.int().nonnegative()),
    'Content-Type': Text.optional(),
    'Content-MD5': Text.optional(),
    AccessTier: Text.optional(),
    ArchiveStatus: Text.optional(),
    ResourceType: Text.optional(),
    LegalHold: Text.optional(),
    ImmutabilityPolicyUntilDate: Text.optional(),
  }),
  Metadata: z.preprocess(
    (value) => (typeof value === 'object' ? value : {}),
    z.record(z.string(), z.unknown()),
  ),
  Tags: parent({ TagSet: parent({ Tag: many(z.object({ Key: Text, Value: Text })) }).optional() }).optional(),
});
type Blob = z.infer<typeof Blob>;
const Listing = z.object({
  Blobs: parent({ Blob: many(Blob) }),
  NextMarker: Text.optional(),
});

/**
 * One page of a container. `last` is the name of its last entry, an item or not; empty without entries. `marker` is null on
 * the last page; a page may be short, or empty, before it.
 */
export type BlobPage = { items: SourceItem[]; last: string; marker: string | null };

/** Parses the answer of List Blobs. Directories of a hierarchical namespace are no items. */
export async function pageFrom(xml: Uint8Array, urlOf: (path: string) => string): Promise<BlobPage> {
  const { Blobs, NextMarker } = await listingFrom(xml);
  return {
    items: Blobs.Blob.filter((blob) => !isDirectory(blob)).map((blob) => itemOf(blob, urlOf)),
    last: Blobs.Blob.at(-1)?.Name ?? '',
    marker: NextMarker === undefined || NextMarker === '' ? null : NextMarker,
  };
}

async function listingFrom(xml: Uint8Array): Promise<z.infer<typeof Listing>> {
  const listing = Listing.safeParse(await xmlFrom(xml));
  if (!listing.success) throw new ConnectorError('transient', 'blob_listing_malformed');
  return listing.data;
}

const isDirectory = ({ Properties, Metadata }: Blob) =>
  Properties.ResourceType === 'directory' ||
  Object.entries(Metadata).some(([name, value]) => name.toLowerCase() === 'hdi_isfolder' && value === 'true');

function itemOf(
  { Name: name, Properties: properties, Tags }: Blob,
  urlOf: (path: string) => string,
): SourceItem {
  const { Etag, AccessTier = '', ArchiveStatus = '' } = properties;
  const tags = Tags?.TagSet?.Tag ?? [];
  const tagsText = JSON.stringify(tags.map(({ Key, Value }) => [Key, Value]).sort());
  const md5 = properties['Content-MD5'] ?? '';
  const path = blobPath(name);
  const notRead = notReadOf(AccessTier, tags);
  const retention = retentionOf(properties);
  return {
    externalId: name,
    name: name.slice(name.lastIndexOf('/', name.length - 2) + 1) || name,
    path: name,
    kind: 'file',
    sizeBytes: properties['Content-Length'],
    mimeType: properties['Content-Type'] || null,
    sourceUrl: path === null ? null : urlOf(path),
    sourceVersion: createHash('sha256')
      .update([Etag, AccessTier, ArchiveStatus, tagsText, JSON.stringify(retention)].join('\n'))
      .digest('base64url'),
    contentVersion: md5 === '' ? Etag : md5,
    createdAt: timeOf(properties['Creation-Time']),
    modifiedAt: timeOf(properties['Last-Modified']),
    modifiedBy: null,
    ...((tags.length > 0 || retention !== null) && {
      facts: { tags: tags.map(({ Key: name, Value: value }) => ({ name, value })), retention },
    }),
    ...(notRead !== null && { notRead }),
  };
}

function retentionOf(properties: Blob['Properties']): SourceRetention | null {
  const legalHold = properties.LegalHold === 'true';
  const immutableUntil = timeOf(properties.ImmutabilityPolicyUntilDate);
  if (!legalHold && immutableUntil === null) return null;
  return { legalHold, immutable: immutableUntil !== null, immutableUntil };
}

/** The tag that Microsoft Defender for Storage writes. */
const MALWARE_TAG = 'Malware Scanning scan result';

function notReadOf(
  tier: string,
  tags: readonly { Key: string; Value: string }[],
): 'archived' | 'malware' | null {
  if (tags.some(({ Key, Value }) => Key === MALWARE_TAG && Value === 'Malicious')) return 'malware';
  return tier === 'Archive' ? 'archived' : null;
}
