import { z } from 'zod';
import { counted, list, optional, text, time } from '../cloud-http/answer-fields.ts';

/**
 * What is read of Box's answers. Other fields are ignored. A field may be missing or null wherever the service can do
 * without it: Box answers null in more places than its description says.
 */

/** Ids of files and folders, which are counted apart. `0` is the folder of all files of an account. */
export const BOX_ID = /^\d{1,20}$/;
const Id = z.string().regex(BOX_ID);
const flag = optional(z.boolean());

const Person = z.object({ id: text, name: text, login: text });
export type BoxPerson = z.infer<typeof Person>;

/** One that cannot be read must not look like none, so it makes its entry unreadable. */
const SharedLink = z
  .object({
    effective_access: text,
    effective_permission: text,
    is_password_enabled: flag,
    unshared_at: time,
  })
  .nullish();
export type SharedLink = NonNullable<z.infer<typeof SharedLink>>;

const Folder = z.object({ id: Id, name: text });

/** A file, a folder or a web link. */
export const BoxEntry = z.object({
  type: z.enum(['file', 'folder', 'web_link']),
  id: Id,
  name: text,
  etag: text,
  sha1: text,
  size: optional(z.int().min(0)),
  file_version: optional(z.object({ id: text })),
  created_at: time,
  modified_at: time,
  modified_by: optional(Person),
  owned_by: optional(Person),
  parent: optional(Folder),
  /** The folders that the account sees above the entry, the outermost first. */
  path_collection: optional(z.object({ entries: z.array(Folder) })),
  item_status: text,
  shared_link: SharedLink,
  permissions: optional(z.object({ can_download: flag })),
  has_collaborations: flag,
  is_externally_owned: flag,
  /** Absent where it is not reported, null where there is none. */
  classification: z.object({ name: text }).nullish(),
  lock: optional(z.object({ expired_at: time })),
  watermark_info: optional(z.object({ is_watermarked: flag })),
});
export type BoxEntry = z.infer<typeof BoxEntry>;

/** The fields of `BoxEntry`, which replace the usual ones of an answer. */
export const ENTRY_FIELDS = [
  'type,id,name,etag,sha1,size,file_version,created_at,modified_at,modified_by,owned_by,parent,item_status',
  'shared_link,permissions,has_collaborations,is_externally_owned,classification,lock,watermark_info',
  'path_collection',
].join(',');

/** One page of a folder. An entry that cannot be read is null, so that it is counted. */
export const BoxItems = z.object({
  entries: counted(BoxEntry),
  next_marker: text,
});

const Grantee = z.object({ type: text, id: text, name: text, login: text, group_type: text });

export const BoxCollaboration = z.object({
  accessible_by: optional(Grantee),
  invite_email: text,
  role: text,
  status: text,
  expires_at: time,
  is_access_only: flag,
});
export type BoxCollaboration = z.infer<typeof BoxCollaboration>;

/** Null for one that cannot be read, so that the list is known to be incomplete. */
export const BoxCollaborations = z.object({
  entries: counted(BoxCollaboration),
  next_marker: text,
});

export const BoxUser = z.object({ id: Id, login: text });
export type BoxUser = z.infer<typeof BoxUser>;
export const BoxUsers = z.object({ entries: list(BoxUser), next_marker: text });

export const BoxTemplate = z.object({
  fields: list(z.object({ key: text, options: optional(list(z.object({ id: text, key: text }))) })),
});
/** The classification of a file, as metadata. */
export const BoxClassification = z.object({ Box__Security__Classification__Key: text });

/** What an event is about. Its form depends on the type of the event. */
const EventSource = z.object({
  type: text,
  id: text,
  item_type: text,
  item_id: text,
  file_id: text,
  folder_id: text,
});
export const BoxEvent = z.object({ event_id: text, event_type: text, source: optional(EventSource) });
export type BoxEvent = z.infer<typeof BoxEvent>;
export const BoxEvents = z.object({
  entries: counted(BoxEvent),
  /** Positions have up to 19 digits, more than a number holds, so the client makes texts of them. */
  next_stream_position: z.string().regex(/^[\w-]{1,100}$/),
});
