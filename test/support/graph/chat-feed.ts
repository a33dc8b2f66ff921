import { MAX_TOP, messagesPath, sealed } from './chat-links.ts';
import { messageJson, rootJson } from './chat-message-json.ts';
import type { Channel, ChatMessage } from './chat-state.ts';
import { type Answer, badRequest, GraphError } from './errors.ts';
import type { Call } from './route.ts';

/** Documented (`channel-list-messages`). */
const DEFAULT_TOP = 20;
const EIGHT_MONTHS_MS = 243 * 24 * 3_600_000;

/** What a token of the delta stands for. The parameters of its first call are in it. */
type Position = {
  channelId: string;
  epoch: number;
  /** The next place of the log. */
  from: number;
  top: number;
  expand: boolean;
  /** Empty pages still to come (microsoftgraph/microsoft-graph-docs#8864). */
  empty: number;
};

function opened<T>(token: string): T {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString()) as T;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest('The token is malformed.');
  }
}

/** These calls take no other parameters. */
function asked({ query }: Call): { top: number; expand: boolean } {
  const other = [...query.keys()].find((name) => !['$top', '$expand'].includes(name));
  if (other !== undefined) throw badRequest(`Query option '${other}' is not allowed.`);
  const top = query.get('$top') ?? String(DEFAULT_TOP);
  if (!/^[1-9]\d?$/.test(top) || Number(top) > MAX_TOP)
    throw badRequest(`The limit of '${MAX_TOP}' for Top query has been exceeded.`);
  const expand = query.get('$expand');
  if (expand !== null && expand !== 'replies') throw badRequest(`Query option 'Expand' is not allowed.`);
  return { top: Number(top), expand: expand !== null };
}

const isRecent = ({ createdAt }: ChatMessage, now: number): boolean => createdAt > now - EIGHT_MONTHS_MS;

/** `GET …/messages/delta`: roots of the last eight months, each where it changed last. */
export function answerMessagesDelta(call: Call, channel: Channel): Answer {
  const token = call.query.get('$deltatoken') ?? call.query.get('$skiptoken');
  const position: Position =
    token === null
      ? {
          channelId: channel.id,
          epoch: channel.epoch,
          from: 0,
          empty: call.tenant.quirks.emptyDeltaPages,
          ...asked(call),
        }
      : opened<Position>(token);
  if (position.channelId !== channel.id) throw badRequest('The token is of another channel.');
  if (position.epoch !== channel.epoch)
    throw new GraphError(410, 'SyncStateNotFound', 'The sync state is not found.');
  const repeats = call.fault?.kind === 'repeatLink';
  const linked = (rest: Position, name: '$skiptoken' | '$deltatoken') =>
    `${messagesPath(call)}/delta?${name}=${token !== null && repeats ? token : sealed(rest)}`;
  const pageOf = (roots: ChatMessage[], rest: Position, isLast: boolean): Answer => ({
    status: 200,
    body: {
      '@odata.context': `${call.base}/$metadata#Collection(chatMessage)`,
      ...(isLast && !repeats
        ? { '@odata.deltaLink': linked(rest, '$deltatoken') }
        : { '@odata.nextLink': linked(rest, '$skiptoken') }),
      value: roots.map((root) => rootJson(call, channel, root, position.expand)),
    },
  });
  if (position.empty > 0) return pageOf([], { ...position, empty: position.empty - 1 }, false);
  if (call.fault?.kind === 'emptyPage') return pageOf([], { ...position, empty: position.empty }, false);
  const roots: ChatMessage[] = [];
  let from = position.from;
  for (; from < channel.log.length && roots.length < position.top; from++) {
    const root = channel.roots.get(channel.log[from] ?? '');
    if (root !== undefined && channel.changed.get(root.id) === from && isRecent(root, call.now))
      roots.push(root);
  }
  return pageOf(roots, { ...position, from }, from === channel.log.length);
}

/** `GET …/messages`: all roots, those with the latest replies or changes first. */
export function answerMessages(call: Call, channel: Channel): Answer {
  const token = call.query.get('$skiptoken');
  const { top, expand, before } =
    token === null
      ? { ...asked(call), before: Number.POSITIVE_INFINITY }
      : opened<{ top: number; expand: boolean; before: number }>(token);
  const places = [...channel.changed].filter(([, place]) => place < before).sort(([, a], [, b]) => b - a);
  const page = places.slice(0, top);
  const last = page.at(-1)?.[1] ?? 0;
  const next =
    token !== null && call.fault?.kind === 'repeatLink' ? token : sealed({ top, expand, before: last });
  return {
    status: 200,
    body: {
      '@odata.context': `${call.base}/$metadata#teams('${call.values.team}')/channels/messages`,
      '@odata.count': page.length,
      ...(places.length > top && { '@odata.nextLink': `${messagesPath(call)}?$skiptoken=${next}` }),
      value: page.flatMap(([id]) => {
        const root = channel.roots.get(id);
        return root === undefined ? [] : [rootJson(call, channel, root, expand)];
      }),
    },
  };
}

/** `GET …/messages/{message}/replies`: the newest first. */
export function answerReplies(call: Call, channel: Channel): Answer {
  const root = channel.roots.get(call.values.message ?? '');
  if (root === undefined) throw new GraphError(404, 'NotFound', 'The message is not found.');
  const token = call.query.get('$skiptoken');
  const { from, top } =
    token === null ? { from: 0, top: asked(call).top } : opened<{ from: number; top: number }>(token);
  const replies = [...(channel.replies.get(root.id) ?? [])].reverse();
  const page = replies.slice(from, from + top);
  const rest =
    call.fault?.kind === 'repeatLink' && token !== null ? token : sealed({ from: from + top, top });
  return {
    status: 200,
    body: {
      '@odata.context': `${call.base}/$metadata#teams('${call.values.team}')/channels/messages/replies`,
      '@odata.count': page.length,
      ...(from + top < replies.length && {
        '@odata.nextLink': `${messagesPath(call)}/${root.id}/replies?$skiptoken=${rest}`,
      }),
      value: page.map((reply) => messageJson(call.tenant, channel, reply)),
    },
  };
}
