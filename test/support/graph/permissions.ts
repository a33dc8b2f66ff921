/** What docs/getting-started-production.md has an administrator grant, and no more. Applications have these by default. */
export const DOCUMENTED_PERMISSIONS = [
  ...['Sites.Read.All', 'Files.Read.All', 'User.Read.All', 'GroupMember.Read.All'],
  ...['Organization.Read.All', 'SensitivityLabels.Read.All', 'Files.ReadWrite.All'],
] as const;

/** What chat channels need besides, for who switches them on. */
export const CHAT_PERMISSIONS = [
  ...['Team.ReadBasic.All', 'Channel.ReadBasic.All', 'ChannelMessage.Read.All'],
  ...['TeamMember.Read.All', 'ChannelMember.Read.All', 'Files.Read.All'],
] as const;

/** With it, the feed of a library reports changes of sharing. */
export const REPORTS_SHARING = 'Sites.FullControl.All';
