import { z } from 'zod';
import { counted, optional, size, storable, text, time, webUrl } from '../cloud-http/answer-fields.ts';

/** Decides what an entry means, so one that cannot be read makes its entry unreadable. */
const exactText = storable.nullish();
const exactFlag = z.boolean().nullish();

const Page = z.object({ kind: text, nextPageToken: exactText });
/**
 * One page of a list. The kind is asked for: an empty list may be left out, and an answer without both is none of Drive's.
 * @param name the field of the list
 */
const pageOf = <S extends z.ZodRawShape>(kind: string, name: keyof S & string, shape: S) =>
  Page.extend(shape).refine(
    ({ kind: ofPage, ...page }: Record<string, unknown>) => page[name] || ofPage === `drive#${kind}`,
  );

/** The labels of a file, as Drive lists them or says them with the file. Of a field of choices `selection` has their ids. */
const FileLabels = z.array(
  z.object({
    id: z.string(),
    fields: z.record(z.string(), z.object({ selection: z.array(z.string()).nullish() })).nullish(),
  }),
);
export const LabelPage = pageOf('labelList', 'labels', { labels: FileLabels.nullish() });
export type LabelPage = z.infer<typeof LabelPage>;

/** A file or folder, in the fields that are asked for. */
export const DriveFile = z.object({
  id: z.string().min(1),
  name: exactText,
  mimeType: exactText,
  parents: z.array(z.string()).nullish(),
  driveId: exactText,
  size: optional(size),
  version: text,
  sha256Checksum: text,
  md5Checksum: text,
  headRevisionId: text,
  createdTime: time,
  modifiedTime: time,
  trashed: exactFlag,
  ownedByMe: exactFlag,
  webViewLink: webUrl,
  lastModifyingUser: optional(z.object({ emailAddress: text, displayName: text })),
  capabilities: optional(z.object({ canDownload: optional(z.boolean()) })),
  labelInfo: optional(z.object({ labels: FileLabels.nullish() })),
  clientEncryptionDetails: z.looseObject({}).nullish(),
});
export type DriveFile = z.infer<typeof DriveFile>;

const FILE_FIELDS =
  'id,name,mimeType,parents,driveId,size,version,sha256Checksum,md5Checksum,headRevisionId,createdTime,modifiedTime,trashed,ownedByMe,webViewLink,lastModifyingUser(emailAddress,displayName),capabilities(canDownload),labelInfo(labels(id,fields)),clientEncryptionDetails(encryptionState)';
export const ASKED = {
  file: FILE_FIELDS,
  files: `kind,nextPageToken,incompleteSearch,files(${FILE_FIELDS})`,
  changes: `kind,nextPageToken,newStartPageToken,changes(changeType,driveId,fileId,removed,file(${FILE_FIELDS}))`,
  permissions:
    'kind,nextPageToken,permissions(type,role,emailAddress,displayName,domain,allowFileDiscovery,expirationTime,deleted,view,inheritedPermissionsDisabled,permissionDetails)',
} as const;

export const FilePage = pageOf('fileList', 'files', {
  incompleteSearch: exactFlag,
  files: counted(DriveFile).nullish(),
});

const Change = z.object({
  changeType: exactText,
  driveId: exactText,
  fileId: exactText,
  removed: exactFlag,
  file: DriveFile.nullish().catch(null),
});
export type Change = z.infer<typeof Change>;
export const ChangePage = pageOf('changeList', 'changes', {
  newStartPageToken: exactText,
  changes: counted(Change).nullish(),
});

export const StartPageToken = z.object({ startPageToken: z.string().min(1) });
export const SharedDrive = z.object({ id: z.string().min(1), name: text });

export const DrivePermission = z.object({
  type: exactText,
  role: exactText,
  emailAddress: text,
  displayName: text,
  domain: text,
  allowFileDiscovery: optional(z.boolean()),
  expirationTime: text,
  deleted: exactFlag,
  view: exactText,
  inheritedPermissionsDisabled: optional(z.boolean()),
  permissionDetails: optional(z.array(z.object({ inherited: exactFlag }))),
});
export type DrivePermission = z.infer<typeof DrivePermission>;
export const PermissionPage = pageOf('permissionList', 'permissions', {
  permissions: z.array(DrivePermission).nullish(),
});

/** What Drive writes as the id of anything. */
export const ITEM_ID = /^[\w-]{1,200}$/;
