declare const isSelected: unique symbol;

/** The address or id of a mailbox that the configuration lists. Nothing but `selectedMailboxes` makes one. */
export type Mailbox = string & { readonly [isSelected]: true };

/** The mailboxes of `SVC_MAIL_MAILBOXES`, each once, in the order of the setting. Case makes no difference. */
export const selectedMailboxes = (addresses: readonly string[]): readonly Mailbox[] =>
  [...new Set(addresses.map((address) => address.trim().toLowerCase()))] as unknown as Mailbox[];

/** Null for a mailbox that the configuration does not list. */
export const findMailbox = (selected: readonly Mailbox[], externalId: string): Mailbox | null =>
  selected.find((mailbox) => mailbox === externalId) ?? null;
