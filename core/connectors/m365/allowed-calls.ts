import type { GraphCall } from '../../kernel/vocabulary.ts';

/** A call of Graph itself. */
export type AllowedCall = Exclude<GraphCall, 'download' | 'monitor' | 'token'>;

/**
 * A method and the shape of a path below `/v1.0`. `{name}` stands for one encoded value, `{name...}` for one or more
 * segments.
 */
export type CallShape = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  /** Further shapes in which Graph writes links to the next page of this call. */
  links?: readonly string[];
  /** Repeating it after a failure without an answer would be a second act. */
  once?: true;
  /** Only the remediation identity may call it. */
  writesLabels?: true;
  /** Its `{mailbox}` must be one that the configuration lists. */
  ofMailbox?: true;
  /** The least application permission, as documented; null where none is needed. */
  permission: string | null;
  /** What it is for. */
  why: string;
  /** What the product loses without the permission. */
  without: string;
};

const NOTHING_SCANNED = 'Nothing can be scanned';
const DIRECTORY_LOST = 'People and groups cannot be looked up; everything else works';
const OWNERS_LOST = 'Owners are suggested without this evidence';
const NO_CHAT = 'Channels cannot be read';
const AUDIENCE_LOST = 'Who can read a channel is unknown';
const MAIL_LOST = 'The mailbox is not read';
const NOTIFICATIONS_LOST = 'Changes are found by the scheduled delta only';

/**
 * Everything that may leave for Graph. `docs/permissions.md` prints this table. Another call is one entry here and its
 * name in `GRAPH_CALLS`.
 */
export const ALLOWED_CALLS: Readonly<Record<AllowedCall, CallShape>> = {
  sites_all: {
    method: 'GET',
    path: 'sites/getAllSites',
    links: ['sites/oneDrive.getAllSites', 'sites/microsoft.graph.getAllSites'],
    permission: 'Sites.Read.All',
    why: 'Lists the sites, if `SVC_GRAPH_SITES` is `all`',
    without: 'Sites must be named in `SVC_GRAPH_SITES`',
  },
  site: {
    method: 'GET',
    path: 'sites/{siteId}',
    permission: 'Sites.Read.All',
    why: 'Reads a site that is selected by id. `Sites.Selected` is enough for sites that are granted to it',
    without: NOTHING_SCANNED,
  },
  site_by_path: {
    method: 'GET',
    path: 'sites/{host}:/{sitePath...}',
    permission: 'Sites.Read.All',
    why: 'Finds a site that is selected by its address. `Sites.Selected` is enough for sites that are granted to it',
    without: NOTHING_SCANNED,
  },
  site_drives: {
    method: 'GET',
    path: 'sites/{siteId}/drives',
    permission: 'Files.Read.All',
    why: 'Lists the document libraries of a site',
    without: NOTHING_SCANNED,
  },
  site_permissions: {
    method: 'GET',
    path: 'sites/root/permissions',
    permission: 'Sites.FullControl.All',
    why: 'Finds out whether the feed of a library reports changes of sharing. Optional: the service changes nothing with it',
    without:
      'Each delta lists how the items of a library are shared and compares; large libraries wait for an inventory',
  },
  drive: {
    method: 'GET',
    path: 'drives/{driveId}',
    permission: 'Files.Read.All',
    why: 'Distinguishes a missing item from a missing or locked document library',
    without: NOTHING_SCANNED,
  },
  user_drive: {
    method: 'GET',
    path: 'users/{userId}/drive',
    permission: 'Files.Read.All',
    why: 'Finds the personal drive of a person whom `SVC_DRIVE_IDS` selects',
    without: 'Personal drives must be selected by the id of the drive',
  },
  delta: {
    method: 'GET',
    path: 'drives/{driveId}/root/delta',
    links: ['drives/{driveId}/delta', 'drives/{driveId}/items/{itemId}/delta'],
    permission: 'Files.Read.All',
    why: 'Lists the items of a document library, and their changes',
    without: NOTHING_SCANNED,
  },
  item: {
    method: 'GET',
    path: 'drives/{driveId}/items/{itemId}',
    permission: 'Files.Read.All',
    why: 'Reads one item again, or the fields that a delta left out',
    without: 'Items are not processed',
  },
  content: {
    method: 'GET',
    path: 'drives/{driveId}/items/{itemId}/content',
    permission: 'Files.Read.All',
    why: 'Gives the address of the content, which is read without a token',
    without: 'Items are listed, their content is inaccessible',
  },
  permissions: {
    method: 'GET',
    path: 'drives/{driveId}/items/{itemId}/permissions',
    permission: 'Files.Read.All',
    why: 'Reads who has access to an item',
    without: 'Access is reported as incomplete',
  },
  labels_extract: {
    method: 'POST',
    path: 'drives/{driveId}/items/{itemId}/extractSensitivityLabels',
    permission: 'Files.Read.All',
    why: 'Reads the sensitivity labels of an item',
    without: 'Labels are reported as unknown',
  },
  label_assign: {
    method: 'POST',
    path: 'drives/{driveId}/items/{itemId}/assignSensitivityLabel',
    once: true,
    writesLabels: true,
    permission: 'Files.ReadWrite.All',
    why: 'Assigns or removes a label for an approved action. Only the remediation identity needs it. The call is metered',
    without: 'Labels cannot be written',
  },
  label_catalogue: {
    method: 'GET',
    path: 'security/dataSecurityAndGovernance/sensitivityLabels',
    permission: 'SensitivityLabels.Read.All',
    why: 'Lists the sensitivity labels of the organisation',
    without: 'Labels have ids without names, and none can be chosen',
  },
  organization: {
    method: 'GET',
    path: 'organization',
    permission: 'Organization.Read.All',
    why: 'Reads once a day which domains belong to the organisation, so that other addresses are known as external',
    without: 'Who has access and is known by address only counts as internal, unless they were invited',
  },
  users: {
    method: 'GET',
    path: 'users',
    permission: 'User.Read.All',
    why: 'Searches people, and finds whom identities mean',
    without: DIRECTORY_LOST,
  },
  user: {
    method: 'GET',
    path: 'users/{userId}',
    permission: 'User.Read.All',
    why: 'Reads one person',
    without: DIRECTORY_LOST,
  },
  user_manager: {
    method: 'GET',
    path: 'users/{userId}/manager',
    permission: 'User.Read.All',
    why: 'Reads the manager of a person, as evidence for owners, and for the search of people',
    without: OWNERS_LOST,
  },
  groups: {
    method: 'GET',
    path: 'groups',
    permission: 'GroupMember.Read.All',
    why: 'Searches groups, and finds those that grants name',
    without: DIRECTORY_LOST,
  },
  group_members: {
    method: 'GET',
    path: 'groups/{groupId}/transitiveMembers/microsoft.graph.user',
    links: ['groups/{groupId}/transitiveMembers'],
    permission: 'GroupMember.Read.All',
    why: 'Lists the people in a group, also through groups inside it',
    without: DIRECTORY_LOST,
  },
  group_owners: {
    method: 'GET',
    path: 'groups/{groupId}/owners',
    permission: 'GroupMember.Read.All',
    why: 'Lists the owners of a group that may write to assets, as evidence for owners',
    without: OWNERS_LOST,
  },
  subscriptions: {
    method: 'GET',
    path: 'subscriptions',
    permission: 'Files.ReadWrite.All',
    why: 'Finds the former subscription to a document library, where Microsoft allows one only',
    without: 'A document library is subscribed to again when its former subscription has expired',
  },
  subscription_create: {
    method: 'POST',
    path: 'subscriptions',
    once: true,
    permission: 'Files.ReadWrite.All',
    why: 'Subscribes to changes of a document library. Microsoft asks for a permission to write, which nothing else uses',
    without: NOTIFICATIONS_LOST,
  },
  subscription_renew: {
    method: 'PATCH',
    path: 'subscriptions/{subscriptionId}',
    permission: 'Files.ReadWrite.All',
    why: 'Extends a subscription, and authorizes it again when Microsoft asks for it',
    without: NOTIFICATIONS_LOST,
  },
  subscription_delete: {
    method: 'DELETE',
    path: 'subscriptions/{subscriptionId}',
    permission: 'Files.ReadWrite.All',
    why: 'Ends the former subscription to a document library',
    without: 'A document library is subscribed to again when its former subscription has expired',
  },
  team: {
    method: 'GET',
    path: 'teams/{teamId}',
    permission: 'Team.ReadBasic.All',
    why: 'Reads the name of a team that `SVC_CHAT_TEAMS` selects, and whether everybody may join it',
    without: NO_CHAT,
  },
  channels: {
    method: 'GET',
    path: 'teams/{teamId}/allChannels',
    permission: 'Channel.ReadBasic.All',
    why: 'Lists the channels of a team. Those that other teams share with it are left out',
    without: NO_CHAT,
  },
  channel: {
    method: 'GET',
    path: 'teams/{teamId}/channels/{channelId}',
    permission: 'Channel.ReadBasic.All',
    why: 'Reads whether a channel is standard, private or shared',
    without: NO_CHAT,
  },
  team_members: {
    method: 'GET',
    path: 'teams/{teamId}/members',
    permission: 'TeamMember.Read.All',
    why: 'Counts who can read the standard channels of a team, and the guests among them',
    without: AUDIENCE_LOST,
  },
  channel_members: {
    method: 'GET',
    path: 'teams/{teamId}/channels/{channelId}/allMembers',
    permission: 'ChannelMember.Read.All',
    why: 'Counts who can read a private or shared channel, and the guests and people of other organisations among them',
    without: AUDIENCE_LOST,
  },
  channel_delta: {
    method: 'GET',
    path: 'teams/{teamId}/channels/{channelId}/messages/delta',
    permission: 'ChannelMessage.Read.All',
    why: 'Lists the messages of the last eight months, and what changed since. `ChannelMessage.Read.Group`, which a team consents to, is enough for that team',
    without: NO_CHAT,
  },
  channel_messages: {
    method: 'GET',
    path: 'teams/{teamId}/channels/{channelId}/messages',
    permission: 'ChannelMessage.Read.All',
    why: 'Lists older messages. `ChannelMessage.Read.Group` is enough as above',
    without: NO_CHAT,
  },
  channel_replies: {
    method: 'GET',
    path: 'teams/{teamId}/channels/{channelId}/messages/{messageId}/replies',
    permission: 'ChannelMessage.Read.All',
    why: 'Lists further replies to a message with more than 1,000. `ChannelMessage.Read.Group` is enough as above',
    without: NO_CHAT,
  },
  channel_files: {
    method: 'GET',
    path: 'teams/{teamId}/channels/{channelId}/filesFolder',
    permission: 'Files.Read.All',
    why: 'Finds the folder of the files of a standard channel. It is not called for others, since it may make their site',
    without: 'The folder of the files of a channel is unknown',
  },
  shared_item: {
    method: 'GET',
    path: 'shares/{shareId}/driveItem',
    permission: 'Files.Read.All',
    why: 'Finds the document that an attachment of a channel links to. Microsoft documents a permission to write, and reports say that reading is enough',
    without: 'Attachments are not connected with their documents',
  },
  mail_folder: {
    method: 'GET',
    path: 'users/{mailbox}/mailFolders/{folderId}',
    ofMailbox: true,
    permission: 'Mail.Read',
    why: 'Finds out whether a mailbox of `SVC_MAIL_MAILBOXES` can be read, by its inbox',
    without: MAIL_LOST,
  },
  mail_folders: {
    method: 'GET',
    path: 'users/{mailbox}/mailFolders/{folderId}/childFolders',
    ofMailbox: true,
    permission: 'Mail.Read',
    why: 'Lists the folders of a mailbox by their ids',
    without: MAIL_LOST,
  },
  mail_delta: {
    method: 'GET',
    path: 'users/{mailbox}/mailFolders/{folderId}/messages/delta',
    ofMailbox: true,
    permission: 'Mail.Read',
    why: 'Lists the messages of a folder, and their changes',
    without: MAIL_LOST,
  },
  mail_message: {
    method: 'GET',
    path: 'users/{mailbox}/messages/{messageId}',
    ofMailbox: true,
    permission: 'Mail.Read',
    why: 'Reads a message that a folder no longer has, or that its list shows in part',
    without: MAIL_LOST,
  },
  mail_attachments: {
    method: 'GET',
    path: 'users/{mailbox}/messages/{messageId}/attachments',
    ofMailbox: true,
    permission: 'Mail.Read',
    why: 'Lists the attachments of a message',
    without: 'Messages have no attachments',
  },
  mail_attachment: {
    method: 'GET',
    path: 'users/{mailbox}/messages/{messageId}/attachments/{attachmentId}/$value',
    ofMailbox: true,
    permission: 'Mail.Read',
    why: 'Reads a file or a message that is attached',
    without: 'Attachments are listed, their content is inaccessible',
  },
  batch: {
    method: 'POST',
    path: '$batch',
    permission: null,
    why: 'Carries up to 20 of the reading calls above at once',
    without: 'Every call is made alone',
  },
};
