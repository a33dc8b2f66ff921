import { z } from 'zod';
import { counted, list, optional, size, text, time, webUrl } from '../cloud-http/answer-fields.ts';

/**
 * What is read of Graph's answers. Fields that are not here are ignored, and a field may be missing, null or of another
 * type wherever the product can do without it: real answers carry more than the published metadata, and less. An entry of
 * a list that cannot be read loses itself and not its page.
 */

export const Id = z.string().regex(/^[\x21-\x7e]{1,512}$/);
/** Only whether it is there is read. */
export const present = z.unknown().optional();

const Identity = z.object({
  id: text,
  displayName: text,
  email: text,
  userPrincipalName: text,
  loginName: text,
  /** Of groups of SharePoint. */
  title: text,
});
export type Identity = z.infer<typeof Identity>;

const identity = optional(Identity);
const IdentitySet = z.object({
  user: identity,
  group: identity,
  application: identity,
  device: identity,
  siteUser: identity,
  siteGroup: identity,
  sharePointGroup: identity,
});
export type IdentitySet = z.infer<typeof IdentitySet>;

/** Ids of items, as Graph makes them. Nothing else is asked for. */
export const ITEM_ID = /^[A-Za-z0-9!._-]{1,200}$/;
/** `used`: bytes of a drive, also of old versions; a library reports those of its whole site. */
export const DriveQuota = z.object({ quota: optional(z.object({ used: optional(size) })) });

export const DriveItem = z.object({
  id: z.string().regex(ITEM_ID),
  name: text,
  size: optional(size),
  eTag: text,
  cTag: text,
  webUrl,
  createdDateTime: time,
  lastModifiedDateTime: time,
  lastModifiedBy: optional(IdentitySet),
  parentReference: optional(z.object({ driveId: text, id: text, path: text })),
  /** Whether it is there tells a file from what is none. */
  file: z
    .object({ mimeType: text, hashes: optional(z.object({ quickXorHash: text })) })
    .nullish()
    .catch({}),
  folder: present,
  package: present,
  root: present,
  deleted: present,
  malware: present,
  shared: optional(z.object({ scope: text, sharedDateTime: text })),
  /** Only where it is asked for. */
  publication: optional(z.object({ level: text })),
  remoteItem: present,
});
export type DriveItem = z.infer<typeof DriveItem>;

/** One page of a list. */
export const pageOf = <T extends z.ZodType>(value: T) =>
  z.object({ value, '@odata.nextLink': text, '@odata.deltaLink': text });
export const page = <T extends z.ZodType>(entry: T) => pageOf(list(entry));
export const DriveItemPage = pageOf(counted(DriveItem));
export type DriveItemPage = z.infer<typeof DriveItemPage>;

export const Site = z.object({
  id: Id,
  name: text,
  displayName: text,
  webUrl: text,
  isPersonalSite: optional(z.boolean()),
});
export type Site = z.infer<typeof Site>;

export const Drive = z.object({ id: Id, name: text, driveType: text, owner: optional(IdentitySet) });
export type Drive = z.infer<typeof Drive>;

const identities = optional(list(IdentitySet));
export const Permission = z.object({
  roles: optional(list(z.string())),
  grantedToV2: optional(IdentitySet),
  grantedTo: optional(IdentitySet),
  grantedToIdentitiesV2: identities,
  grantedToIdentities: identities,
  /** Only whether it is there is read: recorded answers leave it empty. */
  inheritedFrom: optional(z.looseObject({})),
  expirationDateTime: time,
  link: optional(z.object({ scope: text, type: text })),
  invitation: optional(z.object({ email: text })),
});
export type Permission = z.infer<typeof Permission>;

/** The same label may come in upper case. */
const LabelId = Id.toLowerCase();
const AssignedLabel = z.object({ sensitivityLabelId: LabelId, tenantId: optional(Id.toLowerCase()) });
export type AssignedLabel = z.infer<typeof AssignedLabel>;
/** An entry that cannot be read could be the label, so then the label is unknown. */
const AssignedLabels = optional(z.array(AssignedLabel));
/** Labels are at the top, or below `value`. */
export const ExtractedLabels = z
  .object({ labels: AssignedLabels, value: optional(z.object({ labels: AssignedLabels })) })
  .catch({});

const Label = z.object({ id: LabelId, name: text, displayName: text, priority: optional(z.number()) });
export const CatalogueLabel = Label.extend({
  sublabels: optional(list(Label)),
});
export type CatalogueLabel = z.infer<typeof CatalogueLabel>;

/** Of an operation that goes on after its answer. No type of the metadata. */
export const JobStatus = z.looseObject({ status: text, errorCode: text }).optional();
export type JobStatus = z.infer<typeof JobStatus>;

export const Subscription = z.object({
  id: Id,
  resource: text,
  notificationUrl: text,
  expirationDateTime: z.string(),
});

export const Person = z.object({
  id: Id,
  displayName: text,
  mail: text,
  userPrincipalName: text,
  jobTitle: text,
  department: text,
});
export type Person = z.infer<typeof Person>;

export const OrganizationAnswer = z.object({
  id: Id.toLowerCase(),
  verifiedDomains: optional(list(z.object({ name: text }))),
});

export const Group = z.object({ id: Id, displayName: text });
