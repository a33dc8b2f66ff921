import type { ChatMessage } from './chat-state.ts';
import type { Call } from './route.ts';

/** Documented (`channel-list-messages`, `chatmessage-delta`). */
export const MAX_TOP = 50;

/** What a token stands for. */
export const sealed = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** As the vendor writes it: with the colon of the channel as it is. */
export const messagesPath = ({ base, values }: Call): string =>
  `${base}/teams/${values.team}/channels/${values.channel}/messages`;

/** The link to further replies of a root, behind those that a page has. */
export const moreReplies = (call: Call, root: ChatMessage, from: number): string =>
  `${messagesPath(call)}/${root.id}/replies?$skiptoken=${sealed({ from, top: MAX_TOP })}`;
