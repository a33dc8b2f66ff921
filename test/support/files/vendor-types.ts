import { z } from 'zod';

/**
 * The types of the vendor that the fake of Azure Files answers with. A member that is not here makes an answer fail.
 * `test/unit/files-fake.test.ts` holds them against the vendor's description.
 */
const encoded = z.strictObject({ Encoded: z.boolean().optional(), content: z.string() });
const rfc1123 = z.string().regex(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/);
const dateTime = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);

const FileProperty = z.strictObject({
  'Content-Length': z.int().nonnegative(),
  CreationTime: dateTime.optional(),
  LastAccessTime: dateTime.optional(),
  LastWriteTime: dateTime.optional(),
  ChangeTime: dateTime.optional(),
  'Last-Modified': rfc1123.optional(),
  Etag: z.string().optional(),
});
const entry = {
  Name: encoded,
  FileId: z.string().optional(),
  Properties: FileProperty.optional(),
  Attributes: z.string().optional(),
  PermissionKey: z.string().optional(),
};

export const FILE_TYPES = {
  FileProperty,
  FileItem: z.strictObject(entry),
  DirectoryItem: z.strictObject(entry),
  ListFilesAndDirectoriesSegmentResponse: z.strictObject({
    ServiceEndpoint: z.string(),
    ShareName: z.string(),
    DirectoryPath: z.string(),
    Prefix: encoded.optional(),
    Marker: z.string().optional(),
    MaxResults: z.int().optional(),
    Entries: z.unknown(),
    NextMarker: z.string(),
    DirectoryId: z.string().optional(),
  }),
  SharePermission: z.strictObject({ permission: z.string(), format: z.enum(['Sddl', 'Binary']).optional() }),
  SignedIdentifier: z.strictObject({
    Id: z.string(),
    AccessPolicy: z.strictObject({
      Start: z.string().optional(),
      Expiry: z.string().optional(),
      Permission: z.string().optional(),
    }),
  }),
  StorageError: z.strictObject({ Code: z.string(), Message: z.string() }),
  FileDownloadHeaders: z.strictObject({
    'content-length': z.int(),
    'content-type': z.string(),
    'content-range': z.string().optional(),
    'last-modified': rfc1123,
    etag: z.string(),
    'x-ms-request-id': z.string(),
    'x-ms-version': z.string(),
    'accept-ranges': z.string(),
    date: rfc1123,
    'x-ms-server-encrypted': z.boolean(),
    'x-ms-file-attributes': z.string(),
    'x-ms-file-permission-key': z.string(),
    'x-ms-file-id': z.string(),
  }),
} as const;

const escaped = (text: unknown) =>
  String(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

const UNENCODABLE = /[\uFFFE\uFFFF]/;

/** The element of a name, encoded if XML cannot hold it. */
export const nameOf = (name: string): z.infer<typeof encoded> =>
  UNENCODABLE.test(name) ? { Encoded: true, content: encodeURIComponent(name) } : { content: name };

const nameXml = (tag: string, { Encoded, content }: z.infer<typeof encoded>) =>
  `<${tag}${Encoded === true ? ' Encoded="true"' : ''}>${escaped(content)}</${tag}>`;

function membersXml(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([tag, value]) => {
      if (tag === 'Name' || tag === 'Prefix') return nameXml(tag, encoded.parse(value));
      const inner =
        typeof value === 'object' && value !== null
          ? membersXml(value as Record<string, unknown>)
          : escaped(value);
      return `<${tag}>${inner}</${tag}>`;
    })
    .join('');
}

const DECLARATION = '\uFEFF<?xml version="1.0" encoding="utf-8"?>';

export type ListedEntry = z.infer<typeof FILE_TYPES.FileItem>;

/** The answer of List Directories and Files. Entries keep their order, whatever they are. */
export function listingXml(
  head: Omit<z.infer<typeof FILE_TYPES.ListFilesAndDirectoriesSegmentResponse>, 'Entries'>,
  entries: readonly (readonly ['File' | 'Directory', ListedEntry])[],
): string {
  const { ServiceEndpoint, ShareName, DirectoryPath, NextMarker, ...members } =
    FILE_TYPES.ListFilesAndDirectoriesSegmentResponse.parse({ ...head, Entries: [] });
  const { Entries: _, ...before } = members;
  const xml = entries.map(([tag, one]) => {
    const type = tag === 'File' ? FILE_TYPES.FileItem : FILE_TYPES.DirectoryItem;
    return `<${tag}>${membersXml(type.parse(one))}</${tag}>`;
  });
  return (
    `${DECLARATION}<EnumerationResults ServiceEndpoint="${escaped(ServiceEndpoint)}" ShareName="${escaped(ShareName)}"` +
    ` DirectoryPath="${escaped(DirectoryPath)}">${membersXml(before)}<Entries>${xml.join('')}</Entries>` +
    `<NextMarker>${escaped(NextMarker)}</NextMarker></EnumerationResults>`
  );
}

export const errorXml = (Code: string): string =>
  `${DECLARATION}<Error>${membersXml(FILE_TYPES.StorageError.parse({ Code, Message: `The service says ${Code}.` }))}</Error>`;

export const policiesXml = (policies: Readonly<Record<string, string>>): string => {
  const members = Object.entries(policies).map(
    ([Id, Permission]) =>
      `<SignedIdentifier>${membersXml(FILE_TYPES.SignedIdentifier.parse({ Id, AccessPolicy: { Permission } }))}</SignedIdentifier>`,
  );
  return `${DECLARATION}<SignedIdentifiers>${members.join('')}</SignedIdentifiers>`;
};
