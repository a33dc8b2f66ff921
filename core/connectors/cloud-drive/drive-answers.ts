import { z } from 'zod';
import { counted, optional, size, storable, time, webUrl } from '../cloud-http/answer-fields.ts';

const text = storable.nullish();

/** A file or folder, in the fields that are asked for. */
export const DriveFile = z.object({
  id: z.string().min(1),
  name: text,
  mimeType: text,
  parents: z.array(z.string()).nullish(),
  driveId: text,
  size: optional(size),
  version: text,
  sha256Checksum: text,
  md5Checksum: text,
  headRevisionId: text,
  createdTime: time,
  modifiedTime: time,
  trashed: z.boolean().nullish(),
  ownedByMe: z.boolean().nullish(),
  webViewLink: webUrl,
  lastModifyingUser: z.object({ emailAddress: text, displayName: text }).nullish(),
  capabilities: z.object({ canDownload: z.boolean().nullish() }).nullish(),
  clientEncryptionDetails: z.object({ encryptionState: text }).nullish(),
});
export type DriveFile = z.infer<typeof DriveFile>;

const FILE_FIELDS =
  'id,name,mimeType,parents,driveId,size,version,sha256Checksum,md5Checksum,headRevisionId,createdTime,modifiedTime,trashed,ownedByMe,webViewLink,lastModifyingUser(emailAddress,displayName),capabilities(canDownload),clientEncryptionDetails(encryptionState)';
export const ASKED = {
  file: FILE_FIELDS,
  files: `nextPageToken,incompleteSearch,files(${FILE_FIELDS})`,
  changes: `nextPageToken,newStartPageToken,changes(changeType,fileId,removed,file(${FILE_FIELDS}))`,
  permissions:
    'nextPageToken,permissions(type,role,emailAddress,displayName,domain,allowFileDiscovery,expirationTime,deleted,view,permissionDetails)',
} as const;

export const FilePage = z.object({
  nextPageToken: text,
  incompleteSearch: z.boolean().nullish(),
  files: counted(DriveFile).nullish(),
});

const Change = z.object({
  changeType: text,
  fileId: text,
  removed: z.boolean().nullish(),
  file: DriveFile.nullish().catch(null),
});
export type Change = z.infer<typeof Change>;
export const ChangePage = z.object({
  nextPageToken: text,
  newStartPageToken: text,
  changes: counted(Change).nullish(),
});

export const StartPageToken = z.object({ startPageToken: z.string().min(1) });
export const SharedDrive = z.object({ id: z.string().min(1), name: text });

export const DrivePermission = z.object({
  type: text,
  role: text,
  emailAddress: text,
  displayName: text,
  domain: text,
  allowFileDiscovery: z.boolean().nullish(),
  expirationTime: text,
  deleted: z.boolean().nullish(),
  view: text,
  permissionDetails: z.array(z.object({ inherited: z.boolean().nullish(), role: text })).nullish(),
});
export type DrivePermission = z.infer<typeof DrivePermission>;
export const PermissionPage = z.object({
  nextPageToken: text,
  permissions: z.array(DrivePermission).nullish(),
});

/** What Drive writes as the id of anything. */
export const ITEM_ID = /^[\w-]{1,200}$/;
