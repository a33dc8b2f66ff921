import type { CloudDriveCall } from '../../kernel/vocabulary.ts';

/** A call of the API itself. `download` reads the address of a content that the API gave, without a bearer. */
export type AllowedCall = Exclude<CloudDriveCall, 'download' | 'token'>;

/**
 * What one call is for. Every call is a `GET`. `path` is below `/drive/v3`, or `/v2` of the API of labels, or
 * `/admin/directory/v1` of that of the directory; `{name}` stands for one encoded value.
 */
export type CallShape = {
  api?: 'labels' | 'directory';
  path: string;
  /** What it is for. */
  why: string;
  /** What the product loses without it. */
  without: string;
};

const NOTHING_SCANNED = 'The drive cannot be scanned';
const FEWER_OWNERS = 'Fewer people are suggested as owners';

/** Everything that may leave for Google Drive. `docs/permissions.md` prints this table. */
export const ALLOWED_CALLS: Readonly<Record<AllowedCall, CallShape>> = {
  drive: {
    path: 'drives/{driveId}',
    why: 'Reads the name of a shared drive, as the administrator',
    without: NOTHING_SCANNED,
  },
  files: {
    path: 'files',
    why: 'Lists the files and folders of a drive',
    without: NOTHING_SCANNED,
  },
  file: {
    path: 'files/{fileId}',
    why: 'Reads one file or folder, and finds the top folder of a person',
    without: NOTHING_SCANNED,
  },
  permissions: {
    path: 'files/{fileId}/permissions',
    why: 'Reads who has access to a file or a folder, and finds a manager of a shared drive',
    without: 'Who has access is unknown, and shared drives cannot be read',
  },
  start_token: {
    path: 'changes/startPageToken',
    why: 'Finds where the changes of a drive begin',
    without: NOTHING_SCANNED,
  },
  changes: {
    path: 'changes',
    why: 'Lists what has changed in a drive',
    without: 'Each delta begins with an inventory',
  },
  content: {
    path: 'files/{fileId}',
    why: 'Reads the content of a file',
    without: 'Content is inaccessible',
  },
  labels: {
    path: 'files/{fileId}/listLabels',
    why: 'Reads the labels of a file, with `SVC_CLOUD_DRIVE_LABEL`',
    without: 'The label is unknown',
  },
  label: {
    api: 'labels',
    path: 'labels/{labelId}',
    why: 'Reads the names of the choices of `SVC_CLOUD_DRIVE_LABEL`, as the administrator',
    without: 'Labels are unknown',
  },
  export: {
    path: 'files/{fileId}/export',
    why: 'Reads a document, a table or a presentation of Google as a file of an office suite',
    without: 'Content of native documents is inaccessible',
  },
  people: {
    api: 'directory',
    path: 'users',
    why: 'Finds people of the organization by name or department, as the administrator',
    without: FEWER_OWNERS,
  },
  person: {
    api: 'directory',
    path: 'users/{userKey}',
    why: 'Reads name, title, department and manager of a person, by address or id',
    without: FEWER_OWNERS,
  },
  groups: {
    api: 'directory',
    path: 'groups',
    why: 'Finds groups by name',
    without: 'No people are found by their group',
  },
  group_members: {
    api: 'directory',
    path: 'groups/{groupKey}/members',
    why: 'Reads who owns, manages or is in a group',
    without: 'Nobody is suggested as the owner of a group',
  },
};
