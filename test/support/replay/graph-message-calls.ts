import { Team } from '../../../core/connectors/chat/chat-answers.ts';
import type { MessagePage, SourceAttachment } from '../../../core/connectors/message-source.ts';
import type { Besides, ReplayedCall } from './given.ts';
import type { GraphParts } from './graph-calls.ts';
import type { Recording } from './recording.ts';

/* Calls about channels of Teams and mailboxes. */

const TEAM = '00000000-0000-4000-8000-000000000002';
const CHANNEL_ID = '19:replayed@thread.tacv2';
const CHANNEL = `${TEAM}/${CHANNEL_ID}`;
export const MAILBOX = 'replayed';
const FOLDER = 'replayed';
const MESSAGE = 'replayed';
const MAX_BYTES = 64 * 1024 * 1024;
const live = new AbortController().signal;

/** Where links of the recording lead, which name other teams, mailboxes and folders. */
const CHANNEL_MESSAGES = `teams/${TEAM}/channels/${CHANNEL_ID}/messages`;
const FOLDER_MESSAGES = `users/${MAILBOX}/mailFolders/${FOLDER}/messages`;

const asList = (entry: unknown) => ({ value: [entry] });
const json = (body: unknown) => Response.json(body);
const hasToken = ({ request }: Recording) => /\$(?:skip|delta)token=/i.test(decodeURIComponent(request.url));

const DELTA = /\/messages\/delta\?/;
const WITH_TOKEN = /\/messages\/delta\?.*token=replayed/;
/** A feed with these entries, which goes on at a link that the recording answers. */
const feedOf =
  (value: readonly unknown[]) =>
  (request: string): Response => {
    const address = request.replace(/^\w+ /, '').replace(/\?.*/, '');
    return json({ value, '@odata.deltaLink': `${address}?$deltatoken=replayed` });
  };
/** A list as the end of a feed. */
const asFeed = (path: string) => (body: unknown) => ({
  ...(body as object),
  '@odata.deltaLink': `/v1.0/${path}/delta?$deltatoken=replayed`,
});

const CHANNEL_KIND = (membershipType: string): Besides[number] => [
  /\/channels\/[^/?]+\?/,
  () => json({ id: CHANNEL_ID, membershipType }),
];
const TEAM_ANSWER: Besides[number] = [/\/teams\/[^/?]+\?/, () => json({ displayName: 'replayed' })];
const NOTHING_OLDER: Besides[number] = [/\/messages\?/, () => json({ value: [] })];
const NO_CHANGES: Besides[number] = [DELTA, feedOf([])];
const INBOX: Besides[number] = [/\/mailFolders\/inbox\?/, () => json({ id: 'inbox' })];

/** A root with more replies. The recording is a page of them. */
const THREAD: Besides[number] = [
  DELTA,
  (request) => {
    const replies = request.replace(/^\w+ /, '').replace(/\/delta\?.*/, '/1/replies?$skiptoken=replayed');
    return feedOf([{ id: '1', messageType: 'message', 'replies@odata.nextLink': replies }])(request);
  },
];

/** A page without its cursor, and each copy by its number of bytes. */
const shown = ({ cursor: _, messages, ...page }: MessagePage) => ({
  messages: messages.map((message) => ({
    ...message,
    attachments: message.attachments === 'unread' ? 'unread' : message.attachments.map(withoutBytes),
  })),
  ...page,
});

const withoutBytes = ({ content, ...attachment }: SourceAttachment) => ({
  ...attachment,
  content: content.state === 'available' ? { ...content, bytes: content.bytes.byteLength } : content,
});

/** The team of the recording: its channels name it. */
const teamIn = ({ request }: Recording): string =>
  /\/teams\/([0-9a-f-]{36})\//i.exec(request.url)?.[1]?.toLowerCase() ?? TEAM;

type Read = ReplayedCall<GraphParts>['read'];

/** The page after so many others. */
const channelPage =
  (others: number): Read =>
  async ({ channels }) => {
    const source = channels([CHANNEL]);
    let page = await source.listMessages(CHANNEL, '', null, live);
    for (let n = 0; n < others; n++) page = await source.listMessages(CHANNEL, '', page.cursor, live);
    return shown(page);
  };

const mailPage =
  (others: number): Read =>
  async ({ mail }) => {
    let page = await mail.listMessages(MAILBOX, FOLDER, null, live);
    for (let n = 0; n < others; n++) page = await mail.listMessages(MAILBOX, FOLDER, page.cursor, live);
    return shown(page);
  };

const audience: Read = ({ channels }) => channels([CHANNEL]).readAudience(CHANNEL, live);
const channelsOf: Read = ({ channels }, recording) => channels([teamIn(recording)]).listContainers(live);
const attachments: Read = async ({ mail }) =>
  (await mail.readAttachments(MAILBOX, MESSAGE, MAX_BYTES, live)).map(withoutBytes);

const inChannel = (end: string) => new RegExp(`/channels/[^/]+/messages${end}$`);
const inMailbox = (end: string) =>
  new RegExp(`/(?:me|users/[^/]+)(?:/mailFolders/[^/]+)?/messages${end}$`, 'i');

/** Those of chat and mail, as `CALLS` in `graph-calls.ts`. */
export const MESSAGE_CALLS: readonly ReplayedCall<GraphParts>[] = [
  {
    ...{ call: 'channel_delta', at: 'api', path: inChannel('/delta'), when: hasToken },
    ...{ links: CHANNEL_MESSAGES, answers: WITH_TOKEN, besides: [NOTHING_OLDER, NO_CHANGES] },
    read: channelPage(2),
  },
  {
    ...{ call: 'channel_delta', at: 'api', path: inChannel('/delta'), links: CHANNEL_MESSAGES },
    read: channelPage(0),
  },
  {
    ...{ call: 'channel_messages', at: 'api', path: inChannel('(?:/[^/]+)?') },
    ...{ as: (body) => ('value' in (body as object) ? body : asList(body)) },
    ...{ answers: /\/messages\?/, besides: [NO_CHANGES] },
    read: channelPage(1),
  },
  {
    ...{ call: 'channel_replies', at: 'api', path: inChannel('/[^/]+/replies(?:/[^/]+)?') },
    ...{ as: (body) => ('value' in (body as object) ? body : asList(body)) },
    ...{ answers: /\/replies\?/, besides: [THREAD] },
    read: channelPage(1),
  },
  {
    ...{ call: 'channels', at: 'api', path: /\/(?:allChannels|teams\/[^/]+\/channels)$/ },
    ...{ answers: /\/allChannels\?/, besides: [TEAM_ANSWER] },
    read: channelsOf,
  },
  {
    ...{ call: 'channel', at: 'api', path: /\/teams\/[^/]+\/channels\/[^/]+$/, as: asList },
    ...{ answers: /\/allChannels\?/, besides: [TEAM_ANSWER] },
    read: channelsOf,
  },
  {
    ...{ call: 'team_members', at: 'api', path: /\/teams\/[^/]+\/members$/ },
    ...{ answers: /\/members\?/, besides: [CHANNEL_KIND('standard'), TEAM_ANSWER] },
    read: audience,
  },
  {
    ...{ call: 'channel_members', at: 'api', path: /\/channels\/[^/]+\/(?:allMembers|members)$/ },
    ...{ answers: /\/allMembers$/, besides: [CHANNEL_KIND('private')] },
    read: audience,
  },
  {
    ...{ call: 'channel_files', at: 'api', path: /\/filesFolder$/ },
    ...{ answers: /\/filesFolder$/, besides: [CHANNEL_KIND('standard')] },
    read: ({ channels }) => channels([CHANNEL]).readFilesFolder(CHANNEL, live),
  },
  {
    ...{ call: 'team', at: 'api', path: /\/teams\/[^/]+$/ },
    read: async ({ client }) =>
      (await client.call('team', { teamId: TEAM }, { schema: Team, signal: live })).body,
  },
  {
    ...{ call: 'mail_delta', at: 'api', path: inMailbox('/delta'), when: hasToken },
    ...{ links: FOLDER_MESSAGES, answers: WITH_TOKEN, besides: [NO_CHANGES, INBOX] },
    read: mailPage(1),
  },
  {
    ...{ call: 'mail_delta', at: 'api', path: inMailbox('/delta'), links: FOLDER_MESSAGES },
    ...{ answers: DELTA, besides: [INBOX] },
    read: mailPage(0),
  },
  {
    ...{ call: 'mail_messages', at: 'api', path: inMailbox(''), as: asFeed(FOLDER_MESSAGES) },
    ...{ answers: DELTA, besides: [INBOX] },
    read: mailPage(0),
  },
  {
    ...{ call: 'mail_message', at: 'api', path: inMailbox('/[^/]+') },
    answers: /\/messages\/replayed\?/,
    besides: [[DELTA, feedOf([{ id: MESSAGE, '@removed': { reason: 'deleted' } }])]],
    as: (body) => ({ ...(body as object), parentFolderId: FOLDER }),
    read: mailPage(0),
  },
  {
    ...{ call: 'mail_attachments', at: 'api', path: inMailbox('/[^/]+/attachments') },
    ...{ answers: /\/attachments\?/, besides: [[/\/\$value$/, () => new Response('replayed')]] },
    read: attachments,
  },
  {
    ...{ call: 'mail_attachments', at: 'api', path: inMailbox('/[^/]+/attachments/[^/]+'), as: asList },
    ...{ answers: /\/attachments\?/, besides: [[/\/\$value$/, () => new Response('replayed')]] },
    read: attachments,
  },
  {
    ...{ call: 'mail_attachment', at: 'api', path: inMailbox('/[^/]+/attachments/[^/]+/\\$value') },
    answers: /\/\$value$/,
    besides: [
      [
        /\/attachments\?/,
        () => json(asList({ '@odata.type': '#microsoft.graph.fileAttachment', id: '1', name: 'replayed' })),
      ],
    ],
    read: attachments,
  },
  {
    ...{ call: 'mail_folders', at: 'api', path: /\/(?:mailFolders(?:\/delta)?|childFolders)$/i },
    read: ({ mail }) => mail.listFeeds(MAILBOX, live),
  },
  {
    ...{ call: 'mail_folder', at: 'api', path: /\/mailFolders\/[^/]+$/i },
    read: ({ mail }) => mail.listContainers(live),
  },
];
