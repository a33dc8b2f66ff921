import type { z } from 'zod';
import type { Downloads } from './downloads.ts';
import type { Answer } from './errors.ts';
import type { PageFault } from './faults.ts';
import type { GraphType } from './schemas.ts';
import type { App, Tenant } from './state.ts';

/** Kinds of calls, as the product's own calls are named, and those that are made elsewhere. */
export type Family =
  | 'sites_all'
  | 'site'
  | 'site_by_path'
  | 'site_drives'
  | 'site_permissions'
  | 'drive'
  | 'user_drive'
  | 'delta'
  | 'item'
  | 'content'
  | 'permissions'
  | 'versions'
  | 'labels_extract'
  | 'label_assign'
  | 'label_catalogue'
  | 'organization'
  | 'users'
  | 'user'
  | 'user_manager'
  | 'groups'
  | 'group'
  | 'group_members'
  | 'group_owners'
  | 'subscriptions'
  | 'subscription_create'
  | 'subscription_renew'
  | 'subscription_delete'
  | 'team'
  | 'channels'
  | 'channel'
  | 'team_members'
  | 'channel_members'
  | 'channel_delta'
  | 'channel_messages'
  | 'channel_replies'
  | 'channel_files'
  | 'shared_item'
  | 'mail_folder'
  | 'mail_folders'
  | 'mail_delta'
  | 'mail_message'
  | 'mail_attachments'
  | 'mail_attachment'
  | 'batch'
  | 'download'
  | 'monitor'
  | 'token'
  | 'unknown';

/** A call that is let in: of a known route, by an application with a valid token. */
export type Call = {
  family: Family;
  method: string;
  /** After the version, as it was asked for. */
  path: string;
  /** Variables of the path, decoded. */
  values: Record<string, string>;
  query: URLSearchParams;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Parsed by the schema of the route. */
  body: unknown;
  app: App;
  tenant: Tenant;
  /** Where Graph is, for links: scheme, host and version. */
  base: string;
  /** The host of documents: downloads and monitors. */
  documentHost: string;
  downloads: Downloads;
  now: number;
  fault: PageFault | null;
};

export type Route = {
  family: Family;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Segments; `{name}` is a variable. */
  path: string;
  /** One of these is enough. Empty: every application may. */
  permissions: readonly string[];
  /** The type of the answer, or of the elements of its `value`. */
  of?: GraphType | 'member';
  list?: boolean;
  /** Of the answer, where it is no type of the metadata. */
  schema?: z.ZodType;
  body?: z.ZodType;
  answer: (call: Call) => Answer | Promise<Answer>;
};

/** The least and the greater permissions that let an application read files. */
export const READ_FILES = [
  ...['Files.Read.All', 'Files.ReadWrite.All', 'Sites.Read.All', 'Sites.ReadWrite.All'],
  ...['Sites.FullControl.All', 'Sites.Selected'],
] as const;
export const READ_SITES = [
  ...['Sites.Read.All', 'Sites.ReadWrite.All', 'Sites.FullControl.All', 'Sites.Selected'],
] as const;
