import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { LeftOut } from '../../kernel/vocabulary.ts';
import { ConnectorError, type SourceItem } from '../connector.ts';
import { mimeTypeOf } from '../mime-types.ts';
import { many, xmlFrom } from '../xml-answer.ts';
import { Name, parent, Text, timeOf } from './listing-parts.ts';
import { isShareName, sharePath } from './share-path.ts';

const Entry = z.object({
  Name,
  FileId: Text.optional(),
  Properties: parent({
    'Content-Length': Text.transform(Number).pipe(z.int().nonnegative()),
    CreationTime: Text.optional(),
    LastWriteTime: Text.optional(),
    ChangeTime: Text.optional(),
    'Last-Modified': Text.optional(),
    Etag: Text.optional(),
  }),
  Attributes: Text.optional(),
  PermissionKey: Text.optional(),
});
type Entry = z.infer<typeof Entry>;
const Listing = z.object({
  Entries: parent({ File: many(Entry), Directory: many(z.object({ Name })) }),
  NextMarker: Text.optional(),
});

/** `permissionKey` names the access list, which many files share. Null if the service gives none. */
export type SharedFile = { item: SourceItem; permissionKey: string | null };

/** One page of one directory. `last` names its last entries, empty without any. `marker` is null on the last page. */
export type DirectoryPage = {
  last: string;
  files: SharedFile[];
  /** Names, each once. */
  directories: string[];
  leftOut: LeftOut[];
  marker: string | null;
};

/**
 * Parses the answer of List Directories and Files.
 * @param directory names of the directories down to the listed one
 */
export async function directoryPageFrom(
  xml: Uint8Array,
  directory: readonly string[],
  urlOf: (path: string) => string,
): Promise<DirectoryPage> {
  const listing = Listing.safeParse(await xmlFrom(xml));
  if (!listing.success) throw new ConnectorError('transient', 'blob_listing_malformed');
  const { Entries, NextMarker = '' } = listing.data;
  const files: SharedFile[] = [];
  const leftOut: LeftOut[] = [];
  for (const entry of Entries.File) {
    const path = [...directory, entry.Name].join('/');
    const address = isShareName(entry.Name) ? sharePath(path) : null;
    if (address === null) leftOut.push('unreadable');
    else
      files.push({
        item: itemOf(entry, path, urlOf(address)),
        permissionKey: entry.PermissionKey || null,
      });
  }
  const directories = new Set(Entries.Directory.map((entry) => entry.Name));
  const entered = [...directories].filter(isShareName);
  leftOut.push(...Array<LeftOut>(directories.size - entered.length).fill('unreadable'));
  // Files and directories are listed in one order, and parsed apart.
  const last = [Entries.File, Entries.Directory].flatMap((entries) => entries.at(-1)?.Name ?? []).join('\n');
  return { last, files, directories: entered, leftOut, marker: NextMarker === '' ? null : NextMarker };
}

/**
 * A rename keeps the id of the file and the time of the last write, and moves the other marks. A client can set that time,
 * so an edit that keeps the size and sets the time back keeps `contentVersion`, and changes `sourceVersion`.
 */
function itemOf(entry: Entry, path: string, sourceUrl: string): SourceItem {
  const { Properties: properties, Name: name, FileId = '', Attributes = '', PermissionKey = '' } = entry;
  const { Etag = '', ChangeTime = '', LastWriteTime = Etag, 'Content-Length': sizeBytes } = properties;
  const contentVersion = digestOf(FileId, LastWriteTime, String(sizeBytes));
  return {
    externalId: path,
    name,
    path,
    kind: 'file',
    sizeBytes,
    mimeType: mimeTypeOf(name),
    sourceUrl,
    sourceVersion: digestOf(contentVersion, Etag, ChangeTime, Attributes, PermissionKey),
    contentVersion,
    createdAt: timeOf(properties.CreationTime),
    modifiedAt: timeOf(properties.LastWriteTime) ?? timeOf(properties['Last-Modified']),
    modifiedBy: null,
  };
}

const digestOf = (...parts: readonly string[]) =>
  createHash('sha256').update(parts.join('\n')).digest('base64url');
