import { z } from 'zod';

/**
 * What is read of Graph's answers. Fields that are not here are ignored, and a field may be missing, null or of another
 * type wherever the product can do without it: real answers carry more than the published metadata, and less. An entry of
 * a list that cannot be read loses itself and not its page.
 */
export const optional = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null);

/** Postgres stores neither NUL nor half a surrogate pair. */
export const text = optional(
  z.string().transform((value) => value.toWellFormed().replaceAll('\0', '\u{FFFD}')),
);
export const Id = z.string().regex(/^[\x21-\x7e]{1,512}$/);
/** Only whether it is there is read. */
export const present = z.unknown().optional();

/** The vendor writes seconds or leaves them out. */
const DateTime = z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })]);
/** A time. Its smallest value stands for none, as documented for permissions. */
export const time = optional(DateTime.transform((value) => (value.startsWith('0001-01-01') ? null : value)));

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

/** Sizes come as numbers, and as texts where they are large. */
const Size = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
]);

/** Ids of items, as Graph makes them. Nothing else is asked for. */
export const ITEM_ID = /^[A-Za-z0-9!._-]{1,200}$/;
/** People follow it, so nothing else than a page of the web will do. */
const webUrl = optional(z.string().regex(/^https?:\/\//i));

/** `used`: bytes of a drive, also of old versions; a library reports those of its whole site. */
export const DriveQuota = z.object({ quota: optional(z.object({ used: optional(Size) })) });

export const DriveItem = z.object({
  id: z.string().regex(ITEM_ID),
  name: text,
  size: optional(Size),
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
const readable = <T extends z.ZodType>(entries: readonly unknown[], schema: T): z.output<T>[] =>
  entries.flatMap((entry) => {
    const parsed = schema.safeParse(entry);
    return parsed.success ? [parsed.data] : [];
  });
const List = z.array(z.unknown());
/** A list inside an answer, without the entries that cannot be read. */
export const list = <T extends z.ZodType>(entry: T) => List.transform((entries) => readable(entries, entry));
export const page = <T extends z.ZodType>(entry: T) => pageOf(list(entry));
/** An entry that cannot be read is null, so that it is counted. */
export const DriveItemPage = pageOf(z.array(DriveItem.nullable().catch(null)));
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
