/** What docs/getting-started-production.md has an administrator grant, and no more. Applications have these by default. */
export const DOCUMENTED_PERMISSIONS = [
  ...['Sites.Read.All', 'Files.Read.All', 'User.Read.All', 'GroupMember.Read.All'],
  ...['Organization.Read.All', 'SensitivityLabels.Read.All', 'Files.ReadWrite.All'],
] as const;

/** With it, the feed of a library reports changes of sharing. */
export const REPORTS_SHARING = 'Sites.FullControl.All';
