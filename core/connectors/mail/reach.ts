/** `Mail.Read`, `Mail.ReadWrite`, and those that leave out bodies. */
const READS_ALL_MAIL = /^Mail\.Read/i;

/**
 * Whether an application may read more mailboxes than the selected ones: a permission of Entra holds for all of them.
 * Rights that Exchange gives for some mailboxes are in no token. Null if the token does not say.
 */
export const readsAllMailboxes = (roles: readonly string[] | null): boolean | null =>
  roles === null ? null : roles.some((role) => READS_ALL_MAIL.test(role));
