import { z } from 'zod';
import { type Answer, badRequest, GraphError } from './errors.ts';
import { pageOfList } from './lists.ts';
import { folderIdOf } from './mail-acts.ts';
import { answerMailDelta, shownId, wantsImmutable } from './mail-delta.ts';
import { attachmentJson, folderJson, messageJson, regularIdOf } from './mail-json.ts';
import { MAIL_TYPES } from './mail-schemas.ts';
import { type FakeMailbox, type Mail, RECOVERABLE, TOP } from './mail-state.ts';
import type { Call, Route } from './route.ts';
import { applySelect, assertSelectable } from './select.ts';

/** Rights of Entra, which hold for all mailboxes. */
const ALL_MAIL = ['Mail.Read', 'Mail.ReadWrite'];

const denied = (message = 'Access is denied. Check credentials and try again.') =>
  new GraphError(403, 'ErrorAccessDenied', message);
const notInStore = () =>
  new GraphError(404, 'ErrorItemNotFound', 'The specified object was not found in the store.');

/** Exchange lets an application into the mailboxes that a role of it names, or into all. */
function mailboxNamed({ app, tenant, values }: Call): FakeMailbox {
  const address = (values.mailbox ?? '').toLowerCase();
  const isWide = ALL_MAIL.some((permission) => app.permissions.includes(permission));
  if (!isWide && !app.mailboxes.some((each) => each.toLowerCase() === address)) throw denied();
  const mailbox = tenant.mailboxes.get(address);
  if (mailbox === undefined)
    throw new GraphError(404, 'ErrorInvalidUser', `The requested user '${address}' is invalid.`);
  if (mailbox.refusal === 'policy') throw denied('Access to OData is disabled.');
  if (mailbox.refusal === 'inactive')
    throw new GraphError(
      404,
      'MailboxNotEnabledForRESTAPI',
      'The mailbox is either inactive, soft-deleted, or is hosted on-premise.',
    );
  return mailbox;
}

/** The id of a folder, which exists. Ids differ by case. */
function folderNamed(mailbox: FakeMailbox, named: string): string {
  const id = mailbox.folders.has(named) ? named : folderIdOf(mailbox.address, named.toLowerCase());
  if (!mailbox.folders.has(id)) throw notInStore();
  return id;
}

/** By the immutable id, or the other one. */
function mailNamed(call: Call): Mail {
  const { mails } = mailboxNamed(call);
  const id = call.values.message ?? '';
  if (!/^AA[A-Za-z0-9_=-]+$/.test(id))
    throw new GraphError(400, 'ErrorInvalidIdMalformed', 'Id is malformed.');
  const mail = mails.get(id) ?? [...mails.values()].find((each) => regularIdOf(each) === id);
  if (mail === undefined || mail.folderId === null) throw notInStore();
  return mail;
}

const MAILBOX = '/users/{mailbox}';
const ATTACHMENTS = `${MAILBOX}/messages/{message}/attachments`;
const attachments = z.strictObject({
  ...{ '@odata.context': z.string(), '@odata.nextLink': z.url().optional() },
  value: z.array(
    z.union([MAIL_TYPES.fileAttachment, MAIL_TYPES.itemAttachment, MAIL_TYPES.referenceAttachment]),
  ),
});

export const MAIL_ROUTES: readonly Route[] = [
  {
    ...{ family: 'mail_folder', method: 'GET', path: `${MAILBOX}/mailFolders/{folder}`, permissions: [] },
    of: 'mailFolder',
    answer: (call) => {
      const mailbox = mailboxNamed(call);
      const folder = mailbox.folders.get(folderNamed(mailbox, call.values.folder ?? ''));
      if (folder === undefined) throw notInStore();
      return { status: 200, body: folderJson(mailbox, folder) };
    },
  },
  {
    ...{ family: 'mail_folders', method: 'GET', permissions: [], of: 'mailFolder', list: true },
    path: `${MAILBOX}/mailFolders/{folder}/childFolders`,
    answer: (call) => {
      const mailbox = mailboxNamed(call);
      const named = call.values.folder ?? '';
      const parent = named === TOP ? TOP : folderNamed(mailbox, named);
      const withHidden = call.query.get('includeHiddenFolders') === 'true';
      const children = [...mailbox.folders.values()].filter(
        ({ parentId, hidden }) => parentId === parent && (withHidden || !hidden),
      );
      return pageOfList(
        call,
        children.map((folder) => folderJson(mailbox, folder)),
        'mailFolders',
      );
    },
  },
  {
    ...{ family: 'mail_delta', method: 'GET', permissions: [], of: 'message', list: true },
    path: `${MAILBOX}/mailFolders/{folder}/messages/delta`,
    answer: (call) => {
      const mailbox = mailboxNamed(call);
      folderNamed(mailbox, call.values.folder ?? '');
      return answerMailDelta(call, mailbox);
    },
  },
  {
    ...{ family: 'mail_message', method: 'GET', path: `${MAILBOX}/messages/{message}`, permissions: [] },
    of: 'message',
    answer: (call) => {
      const mail = mailNamed(call);
      const json = messageJson(mail, shownId(call, mail));
      const isRecoverable = mail.folderId === RECOVERABLE;
      const parentFolderId = folderIdOf(call.values.mailbox ?? '', RECOVERABLE);
      return { status: 200, body: isRecoverable ? { ...json, parentFolderId } : json };
    },
  },
  {
    ...{ family: 'mail_attachments', method: 'GET', path: ATTACHMENTS, permissions: [] },
    answer: (call) => {
      const mail = mailNamed(call);
      assertSelectable(call.query, MAIL_TYPES.attachment);
      const all = mail.attachments.map((attachment) => attachmentJson(mail, attachment));
      const { body, ...answer } = pageOfList(call, all, 'attachments');
      return { ...answer, body: applySelect(call.query, attachments.parse(body), true) };
    },
  },
  {
    ...{ family: 'mail_attachment', method: 'GET', path: `${ATTACHMENTS}/{attachment}/$value` },
    permissions: [],
    answer: (call) => contentOf(call),
  },
];

function contentOf(call: Call): Answer {
  const attachment = mailNamed(call).attachments.find(({ id }) => id === call.values.attachment);
  if (!wantsImmutable(call)) throw badRequest('The fake knows attachments by immutable ids alone.');
  if (attachment === undefined) throw notInStore();
  if (attachment.kind === 'reference')
    throw new GraphError(405, 'ErrorInvalidRequest', 'The HTTP method is not allowed.');
  if (attachment.broken)
    throw new GraphError(500, 'ErrorInternalServerError', 'The content could not be converted.');
  return attachment.kind === 'item'
    ? { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from(attachment.mime) }
    : { status: 200, headers: { 'content-type': attachment.contentType }, body: attachment.bytes };
}
