import { type Answer, badRequest, GraphError } from './errors.ts';
import { messageJson, regularIdOf } from './mail-json.ts';
import type { MessageJson } from './mail-schemas.ts';
import type { FakeMailbox, Mail } from './mail-state.ts';
import type { Call } from './route.ts';

/** What a token stands for. It carries what was selected at the beginning, so links select nothing. */
type Position = {
  folderId: string;
  epoch: number;
  /** The next mail of a walk by its number, or the next place of the log. */
  from: number;
  /** Where the log was when this round began. */
  since: number;
  walk: boolean;
  fields: string | null;
  /** Makes links differ that lead to the same place. */
  salt: number;
};

const tokenOf = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url');

function positionIn({ query, values }: Call): Position | null {
  const token = query.get('$skiptoken') ?? query.get('$deltatoken');
  if (token === null) return null;
  try {
    const position = JSON.parse(Buffer.from(token, 'base64url').toString()) as Position;
    if (position.folderId === values.folder) return position;
  } catch (error) {
    // Not one of ours.
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw badRequest('The sync state data is corrupted or otherwise invalid.', 'ErrorInvalidSyncStateData');
}

/** Documented (`outlook-immutable-id`): for the request that has it alone. */
export const wantsImmutable = ({ headers }: Call): boolean =>
  /IdType="ImmutableId"/i.test(headers.prefer ?? '');
export const shownId = (call: Call, mail: Mail): string =>
  wantsImmutable(call) ? mail.id : regularIdOf(mail);

/** `GET …/mailFolders/{folder}/messages/delta`: a walk, then what happened since. */
export function answerMailDelta(call: Call, mailbox: FakeMailbox): Answer {
  const folderId = call.values.folder ?? '';
  const start: Position = {
    ...{ folderId, epoch: mailbox.epoch, from: 0, since: mailbox.log.length, walk: true, salt: 0 },
    fields: call.query.get('$select'),
  };
  const position = positionIn(call) ?? start;
  if (position.epoch !== mailbox.epoch)
    throw new GraphError(410, 'syncStateNotFound', 'The sync state generation is not found.');
  if (position.fields !== null) call.query.set('$select', position.fields);
  if (call.fault?.kind === 'emptyPage')
    return pageOf(call, [], '$skiptoken', { ...position, salt: position.salt + 1 });
  const size = Number(/odata\.maxpagesize=(\d+)/i.exec(call.headers.prefer ?? '')?.[1] ?? 10);
  return position.walk ? walkPage(call, mailbox, position, size) : changesPage(call, mailbox, position, size);
}

function walkPage(call: Call, { mails, log }: FakeMailbox, position: Position, size: number): Answer {
  const held = [...mails.values()].filter(
    ({ folderId, nr }) => folderId === position.folderId && nr >= position.from,
  );
  const page = held.slice(0, size);
  const value = page.map((mail) => messageJson(mail, shownId(call, mail)));
  const next = held[size];
  if (next !== undefined) return pageOf(call, value, '$skiptoken', { ...position, from: next.nr });
  const { since } = position;
  return pageOf(call, value, '$deltatoken', { ...position, walk: false, from: since, since: log.length });
}

function changesPage(call: Call, { mails, log }: FakeMailbox, position: Position, size: number): Answer {
  const value: MessageJson[] = [];
  let { from } = position;
  for (; from < log.length && value.length < size; from++) {
    const event = log[from];
    const mail = mails.get(event?.mailId ?? '');
    if (event === undefined || mail === undefined || event.folderId !== position.folderId) continue;
    const others = log
      .slice(from + 1)
      .filter((each) => each.folderId === event.folderId && each.mailId === mail.id);
    if (others.length > 0 && !(event.kind === 'changed' && others.every(({ kind }) => kind === 'read')))
      continue;
    const id = shownId(call, mail);
    if (event.kind === 'removed') value.push({ id, '@removed': { reason: 'deleted' } });
    // Seen (microsoft-graph-docs#7776): the flag alone, whatever was selected.
    else if (event.kind === 'read') value.push({ id, isRead: mail.isRead });
    else if (mail.folderId === position.folderId) value.push(messageJson(mail, id));
  }
  const isLast = from === log.length;
  return pageOf(call, value, isLast ? '$deltatoken' : '$skiptoken', { ...position, from });
}

function pageOf(
  call: Call,
  value: readonly MessageJson[],
  name: '$skiptoken' | '$deltatoken',
  position: Position,
): Answer {
  const { base, values } = call;
  // Seen in recorded answers: keys in parentheses.
  const path = `${base}/users('${values.mailbox}')/mailFolders('${values.folder}')/messages/delta`;
  const own = [...call.query].map(([key, text]) => `${key}=${encodeURIComponent(text)}`).join('&');
  const link =
    call.fault?.kind === 'repeatLink' && name === '$skiptoken'
      ? `${path}?${own}`
      : `${path}?${name}=${tokenOf(position)}`;
  return {
    status: 200,
    body: {
      '@odata.context': `${base}/$metadata#Collection(message)`,
      [name === '$skiptoken' ? '@odata.nextLink' : '@odata.deltaLink']: link,
      value,
    },
  };
}
