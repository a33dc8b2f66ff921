import { z } from 'zod';
import { MAIL_TYPES } from './mail-schemas.ts';

/**
 * The types of the vendor that the fake uses, with the properties that it gives. A property that is not here makes an
 * answer fail. `graph-fake.schema.test.ts` holds each type and each property against the vendor's metadata.
 */
const dateTime = z.iso.datetime({ offset: true });
const guid = z.guid();
/** Also as a text, as large numbers are. */
const int64 = z.union([z.int(), z.string().regex(/^-?\d+$/)]);
const annotation = z.string();

const identity = z.strictObject({
  id: z.string().nullable().optional(),
  displayName: z.string().nullable().optional(),
  /** Recorded of people in permissions; the metadata lacks it. */
  email: z.string().optional(),
});

const identitySet = z.strictObject({
  user: identity.optional(),
  application: identity.optional(),
  device: identity.optional(),
});

const sharePointIdentity = z.strictObject({
  id: z.string(),
  displayName: z.string(),
  loginName: z.string().optional(),
});

const sharePointIdentitySet = z.strictObject({
  user: identity.optional(),
  group: identity.optional(),
  application: identity.optional(),
  siteUser: sharePointIdentity.optional(),
  siteGroup: sharePointIdentity.optional(),
});

const sharepointIds = z.strictObject({
  listId: guid.optional(),
  listItemUniqueId: guid.optional(),
  siteId: guid.optional(),
  siteUrl: z.url().optional(),
  tenantId: guid.optional(),
  webId: guid.optional(),
});

const itemReference = z.strictObject({
  driveId: z.string().optional(),
  driveType: z.enum(['documentLibrary', 'business']).optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  path: z.string().optional(),
  siteId: z.string().optional(),
});

const hashes = z.strictObject({ quickXorHash: z.base64().length(28) });
const file = z.strictObject({ mimeType: z.string().optional(), hashes: hashes.optional() });
const folder = z.strictObject({ childCount: z.int().min(0).optional() });
const packageFacet = z.strictObject({ type: z.string() });
const fileSystemInfo = z.strictObject({ createdDateTime: dateTime, lastModifiedDateTime: dateTime });
const root = z.strictObject({});
const deleted = z.strictObject({ state: z.string().optional() });
const malware = z.strictObject({ description: z.string().optional() });
const shared = z.strictObject({ scope: z.enum(['anonymous', 'organization', 'users']).optional() });

const remoteItem = z.strictObject({
  id: z.string(),
  name: z.string(),
  size: int64,
  file: file.optional(),
  folder: folder.optional(),
  parentReference: itemReference,
  webUrl: z.url(),
});

const publicationFacet = z.strictObject({
  level: z.enum(['published', 'checkout', 'draft']),
  versionId: z.string().optional(),
});

const driveItem = z.strictObject({
  '@odata.type': annotation.optional(),
  '@odata.context': annotation.optional(),
  '@microsoft.graph.downloadUrl': z.url().optional(),
  '@microsoft.graph.sharedChanged': z.union([z.literal(true), z.literal('True')]).optional(),
  id: z.string().min(1),
  name: z.string().min(1).optional(),
  size: int64.optional(),
  eTag: z.string().optional(),
  cTag: z.string().optional(),
  webUrl: z.url().optional(),
  createdBy: identitySet.optional(),
  createdDateTime: dateTime.optional(),
  lastModifiedBy: identitySet.optional(),
  lastModifiedDateTime: dateTime.optional(),
  parentReference: itemReference.optional(),
  fileSystemInfo: fileSystemInfo.optional(),
  file: file.optional(),
  folder: folder.optional(),
  package: packageFacet.optional(),
  root: root.optional(),
  deleted: deleted.optional(),
  malware: malware.optional(),
  shared: shared.optional(),
  remoteItem: remoteItem.optional(),
  publication: publicationFacet.optional(),
});

const driveItemVersion = z.strictObject({
  id: z.string(),
  lastModifiedBy: identitySet,
  lastModifiedDateTime: dateTime,
  size: int64,
});

const quota = z.strictObject({
  state: z.string(),
  total: int64,
  used: int64,
  remaining: int64,
  deleted: int64,
});

const drive = z.strictObject({
  '@odata.context': annotation.optional(),
  id: z.string().startsWith('b!'),
  name: z.string(),
  description: z.string(),
  driveType: z.enum(['documentLibrary', 'business']),
  createdDateTime: dateTime,
  lastModifiedDateTime: dateTime,
  webUrl: z.url(),
  owner: identitySet,
  quota,
  sharePointIds: sharepointIds.optional(),
});

const siteCollection = z.strictObject({
  hostname: z.string(),
  dataLocationCode: z.string().optional(),
  root: root.optional(),
});

const site = z.strictObject({
  '@odata.context': annotation.optional(),
  id: z.string().regex(/^[^,]+,[0-9a-f-]{36},[0-9a-f-]{36}$/),
  name: z.string(),
  displayName: z.string(),
  createdDateTime: dateTime,
  lastModifiedDateTime: dateTime,
  webUrl: z.url(),
  isPersonalSite: z.boolean().optional(),
  root: root.optional(),
  siteCollection,
});

const sharingLink = z.strictObject({
  scope: z.enum(['anonymous', 'organization', 'users', 'existingAccess']).optional(),
  type: z.enum(['view', 'edit', 'review', 'blocksDownload']).optional(),
  webUrl: z.url().optional(),
  preventsDownload: z.boolean().optional(),
  application: identity.optional(),
});

const sharingInvitation = z.strictObject({
  email: z.string(),
  invitedBy: identitySet.optional(),
  signInRequired: z.boolean(),
});

const permission = z.strictObject({
  id: z.string(),
  roles: z.array(z.enum(['read', 'write', 'owner', 'sp.full control', 'sp.limited access'])),
  shareId: z.string().optional(),
  expirationDateTime: dateTime.optional(),
  hasPassword: z.boolean().optional(),
  grantedTo: identitySet.optional(),
  grantedToV2: sharePointIdentitySet.optional(),
  grantedToIdentities: z.array(identitySet).optional(),
  grantedToIdentitiesV2: z.array(sharePointIdentitySet).optional(),
  /** Recorded as an empty object on inherited grants; direct ones have none. */
  inheritedFrom: itemReference.optional(),
  link: sharingLink.optional(),
  invitation: sharingInvitation.optional(),
});

const sensitivityLabelAssignment = z.strictObject({
  sensitivityLabelId: guid,
  assignmentMethod: z.enum(['standard', 'privileged', 'auto']),
  tenantId: guid,
});

const extractSensitivityLabelsResult = z.strictObject({
  '@odata.context': annotation.optional(),
  '@odata.type': annotation.optional(),
  labels: z.array(sensitivityLabelAssignment),
});

const sublabel = z.strictObject({
  id: guid,
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  toolTip: z.string(),
  priority: z.int(),
  hasProtection: z.boolean(),
  isDefault: z.boolean(),
});
const sensitivityLabel = sublabel.extend({ sublabels: z.array(sublabel).optional() });

const person = z.strictObject({
  '@odata.type': annotation.optional(),
  '@odata.context': annotation.optional(),
  id: guid,
  displayName: z.string().nullable(),
  mail: z.string().nullable(),
  userPrincipalName: z.string(),
  givenName: z.string().nullable(),
  surname: z.string().nullable(),
  jobTitle: z.string().nullable(),
  department: z.string().nullable(),
  accountEnabled: z.boolean(),
  userType: z.enum(['Member', 'Guest']),
  businessPhones: z.array(z.string()),
  mobilePhone: z.string().nullable(),
  officeLocation: z.string().nullable(),
  preferredLanguage: z.string().nullable(),
});
/** `$expand=manager`: a navigation property, which the metadata has as a link only. */
const user = person.extend({ manager: z.looseObject({ id: guid }).optional() });

const group = z.strictObject({
  '@odata.type': annotation.optional(),
  '@odata.context': annotation.optional(),
  id: guid,
  displayName: z.string(),
  description: z.string().nullable(),
  mail: z.string().nullable(),
  mailEnabled: z.boolean(),
  mailNickname: z.string(),
  securityEnabled: z.boolean(),
  groupTypes: z.array(z.string()),
  visibility: z.string().nullable(),
});

const subscription = z.strictObject({
  '@odata.context': annotation.optional(),
  id: guid,
  applicationId: guid,
  changeType: z.string(),
  /** Null whenever it is read back. */
  clientState: z.string().nullable(),
  creatorId: guid,
  expirationDateTime: dateTime,
  latestSupportedTlsVersion: z.string(),
  lifecycleNotificationUrl: z.url().nullable(),
  notificationUrl: z.url(),
  resource: z.string(),
});

const teamSchema = z.strictObject({
  '@odata.context': annotation.optional(),
  id: guid,
  displayName: z.string(),
  description: z.string().nullable(),
  visibility: z.enum(['private', 'public']),
  tenantId: guid,
  isArchived: z.boolean(),
  createdDateTime: dateTime,
});

const channel = z.strictObject({
  '@odata.context': annotation.optional(),
  '@odata.id': z.url(),
  id: z.string().regex(/^19:[0-9a-f]+@thread\.tacv2$/),
  displayName: z.string(),
  description: z.string().nullable(),
  membershipType: z.enum(['standard', 'private', 'shared']),
  tenantId: guid,
  createdDateTime: dateTime,
});

/** No type of the metadata, which derives it from `identity`. As the documentation has it (`teamworkUserIdentity`). */
const teamworkUserIdentity = z.strictObject({
  '@odata.type': annotation,
  id: guid,
  displayName: z.string(),
  userIdentityType: z.enum([
    ...(['aadUser', 'anonymousGuest', 'federatedUser', 'personalMicrosoftAccountUser'] as const),
  ]),
  tenantId: guid,
});
const byUser = { application: identity.nullable(), device: identity.nullable(), user: teamworkUserIdentity };
const chatMessageFromIdentitySet = z.strictObject(byUser);
const chatMessageReactionIdentitySet = z.strictObject(byUser);

const itemBody = z.strictObject({ contentType: z.enum(['text', 'html']), content: z.string().nullable() });
const channelIdentity = z.strictObject({ teamId: guid, channelId: z.string() });

const chatMessageAttachment = z.strictObject({
  id: z.string(),
  contentType: z.string(),
  contentUrl: z.string().nullable(),
  content: z.string().nullable(),
  name: z.string().nullable(),
  teamsAppId: z.string().nullable(),
  thumbnailUrl: z.string().nullable(),
});

const chatMessageReaction = z.strictObject({
  reactionType: z.string(),
  displayName: z.string().nullable(),
  createdDateTime: dateTime,
  reactionContentUrl: z.string().nullable(),
  user: chatMessageReactionIdentitySet,
});

const messageId = z.string().regex(/^\d{10,16}$/);
const chatMessage = z.strictObject({
  '@odata.type': annotation.optional(),
  id: messageId,
  replyToId: messageId.nullable(),
  etag: z.string(),
  messageType: z.enum(['message', 'unknownFutureValue']),
  createdDateTime: dateTime,
  lastModifiedDateTime: dateTime,
  lastEditedDateTime: dateTime.nullable(),
  deletedDateTime: dateTime.nullable(),
  subject: z.string().nullable(),
  summary: z.null(),
  chatId: z.null(),
  importance: z.enum(['normal', 'high', 'urgent']),
  locale: z.string(),
  webUrl: z.url(),
  policyViolation: z.null(),
  eventDetail: z.null(),
  from: chatMessageFromIdentitySet.nullable(),
  body: itemBody,
  channelIdentity,
  attachments: z.array(chatMessageAttachment),
  mentions: z.array(z.never()),
  reactions: z.array(chatMessageReaction),
  'replies@odata.count': z.int().optional(),
  'replies@odata.nextLink': z.url().optional(),
  get replies() {
    return z.array(chatMessage).optional();
  },
});

/** No type of the metadata. */
export const channelMember = z.strictObject({
  '@odata.type': z.literal('#microsoft.graph.aadUserConversationMember'),
  id: z.base64(),
  roles: z.array(z.enum(['owner', 'guest'])),
  displayName: z.string(),
  userId: guid,
  email: z.string(),
  tenantId: guid,
  visibleHistoryStartDateTime: dateTime,
});

const changeNotification = z.strictObject({
  subscriptionId: guid,
  subscriptionExpirationDateTime: dateTime,
  clientState: z.string().nullable(),
  tenantId: guid,
  resource: z.string().optional(),
  changeType: z.enum(['created', 'updated', 'deleted']).optional(),
  lifecycleEvent: z.enum(['missed', 'subscriptionRemoved', 'reauthorizationRequired']).optional(),
  resourceData: z.strictObject({ '@odata.type': annotation }).optional(),
});
const changeNotificationCollection = z.strictObject({ value: z.array(changeNotification).min(1) });

const publicInnerError = z.looseObject({ code: z.string().optional() });
const publicError = z.strictObject({
  code: z.string(),
  message: z.string(),
  target: z.string().optional(),
  innerError: publicInnerError.optional(),
});

/** Members of groups are of several types. Their `@odata.type` tells which. */
export const directoryObject = z.union([user, group]);

/** Every type, by the vendor's name for it. */
export const GRAPH_TYPES = {
  ...{ identity, identitySet, sharePointIdentity, sharePointIdentitySet, sharepointIds, itemReference },
  ...{
    hashes,
    file,
    folder,
    package: packageFacet,
    fileSystemInfo,
    root,
    deleted,
    malware,
    shared,
    remoteItem,
  },
  ...{ publicationFacet, driveItem, driveItemVersion, quota, drive, siteCollection, site },
  ...{
    sharingLink,
    sharingInvitation,
    permission,
    sensitivityLabelAssignment,
    extractSensitivityLabelsResult,
  },
  ...{ sensitivityLabel, user, group, subscription, changeNotification, changeNotificationCollection },
  ...{ team: teamSchema, channel, itemBody, channelIdentity, chatMessage, chatMessageAttachment },
  ...{ chatMessageFromIdentitySet, chatMessageReaction, chatMessageReactionIdentitySet },
  ...{ publicInnerError, publicError },
  ...MAIL_TYPES,
} as const;

export type GraphType = keyof typeof GRAPH_TYPES;

export type DriveItemJson = z.infer<typeof driveItem>;
export type ItemReferenceJson = z.infer<typeof itemReference>;
export type PermissionJson = z.infer<typeof permission>;
export type IdentitySetJson = z.infer<typeof identitySet>;
export type SharePointIdentitySetJson = z.infer<typeof sharePointIdentitySet>;
export type ChatMessageJson = z.infer<typeof chatMessage>;
