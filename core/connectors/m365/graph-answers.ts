import { z } from 'zod';

/**
 * What is read of Graph's answers. Fields that are not here are ignored, and a field may be missing or null wherever the
 * product can do without it: real answers carry more than the published metadata, and less.
 */
const text = z.string().nullish();
const present = z.looseObject({}).nullish();

const Identity = z.object({
  id: text,
  displayName: text,
  email: text,
  userPrincipalName: text,
  loginName: text,
});
export type Identity = z.infer<typeof Identity>;

const IdentitySet = z.object({
  user: Identity.nullish(),
  group: Identity.nullish(),
  application: Identity.nullish(),
  device: Identity.nullish(),
  siteUser: Identity.nullish(),
  siteGroup: Identity.nullish(),
});
export type IdentitySet = z.infer<typeof IdentitySet>;

/** Sizes come as numbers, and as texts where they are large. */
const Size = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).nullish();

export const DriveItem = z.object({
  id: z.string().min(1),
  name: text,
  size: Size,
  eTag: text,
  cTag: text,
  webUrl: text,
  createdDateTime: text,
  lastModifiedDateTime: text,
  lastModifiedBy: IdentitySet.nullish(),
  parentReference: z.object({ driveId: text, id: text, path: text }).nullish(),
  file: z.object({ mimeType: text, hashes: z.object({ quickXorHash: text }).nullish() }).nullish(),
  folder: present,
  package: present,
  root: present,
  deleted: present,
  malware: present,
  /** Only where it is asked for. */
  publication: z.object({ level: text }).nullish(),
  remoteItem: present,
});
export type DriveItem = z.infer<typeof DriveItem>;

/** One page of a list. */
export const page = <T extends z.ZodType>(entry: T) =>
  z.object({
    value: z.array(entry),
    '@odata.nextLink': text,
    '@odata.deltaLink': text,
  });
export const DriveItemPage = page(DriveItem);
export type DriveItemPage = z.infer<typeof DriveItemPage>;

export const Site = z.object({
  id: z.string().min(1),
  name: text,
  displayName: text,
  webUrl: text,
  isPersonalSite: z.boolean().nullish(),
});
export type Site = z.infer<typeof Site>;

export const Drive = z.object({ id: z.string().min(1), name: text, driveType: text });
export type Drive = z.infer<typeof Drive>;

export const Permission = z.object({
  roles: z.array(z.string()).nullish(),
  grantedToV2: IdentitySet.nullish(),
  grantedTo: IdentitySet.nullish(),
  grantedToIdentitiesV2: z.array(IdentitySet).nullish(),
  grantedToIdentities: z.array(IdentitySet).nullish(),
  inheritedFrom: z.looseObject({}).nullish(),
  expirationDateTime: text,
  link: z.object({ scope: text, type: text }).nullish(),
  invitation: z.object({ email: text }).nullish(),
});
export type Permission = z.infer<typeof Permission>;

const AssignedLabels = z.array(z.object({ sensitivityLabelId: text })).nullish();
/** Labels stand at the top, or below `value`. */
export const ExtractedLabels = z.object({
  labels: AssignedLabels,
  value: z.object({ labels: AssignedLabels }).nullish(),
});

const Label = z.object({
  id: z.string().min(1),
  name: text,
  displayName: text,
  priority: z.number().nullish(),
});
export const CatalogueLabel = Label.extend({ sublabels: z.array(Label).nullish() });
export type CatalogueLabel = z.infer<typeof CatalogueLabel>;

/** Of an operation that goes on after its answer. No type of the metadata. */
export const JobStatus = z.looseObject({ status: text, errorCode: text }).optional();
export type JobStatus = z.infer<typeof JobStatus>;

export const Subscription = z.object({
  id: z.string().min(1),
  resource: text,
  notificationUrl: text,
  expirationDateTime: z.string(),
});

export const Person = z.object({
  id: z.string().min(1),
  displayName: text,
  mail: text,
  userPrincipalName: text,
  jobTitle: text,
  department: text,
});
export type Person = z.infer<typeof Person>;

export const Group = z.object({ id: z.string().min(1), displayName: text });
