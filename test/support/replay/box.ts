import { addressOn } from '../../../core/connectors/cloud-http/checked-address.ts';
import { BOX_CLOUD } from '../../../core/connectors/file-box/box-calls.ts';
import { besideOf, withoutNames } from './beside.ts';
import { BOX_CALLS, itemIn, MADE_UP, partsOf } from './box-calls.ts';
import { type Besides, bytesCounted, callOf, given, noCall, type Outcome, type Replayed } from './given.ts';
import { addressOf, type Recording } from './recording.ts';

/** Gives one recorded answer of Box to the connector. Null if it is of another source. */
export async function replayedBox(
  recording: Recording,
  recordings: readonly Recording[],
): Promise<Outcome | null> {
  const { origin, path } = addressOf(recording);
  const isApi = origin === BOX_CLOUD.apiOrigin || /^\/2\.0\//.test(path);
  const { status, body } = recording;
  // Others of Box, such as its pages and uploads, are no answers that the service reads.
  if (!isApi && origin.endsWith('.box.com')) return noCall(status);
  if (!isApi && addressOn(BOX_CLOUD, origin) === null) return null;
  const found = callOf(BOX_CALLS, isApi ? 'api' : 'elsewhere', path, recording);
  if (found === undefined) return noCall(status);
  const scope =
    found.call === 'items' ? itemIn(recording).replace('folder:', '') : scopeOf(recording, recordings);
  const parts = partsOf(scope);
  const source = sourceOf(recordings, scope, found.call === 'events');
  const exact = { ...found, answers: found.answers ?? exactly(recording) };
  const outcome = await given(exact, recording, parts, source, (made) =>
    withoutNames(bytesCounted(made, status)),
  );
  const items = BOX_CALLS.find(({ call }) => call === 'items');
  if (found.call !== 'folder' || !('made' in outcome) || status !== 200 || !items) return outcome;
  // A folder is no item, but an entry of a list.
  const asList = { ...recording, body: { entries: [body] } };
  const ofScope = { ...items, answers: new RegExp(`/folders/${scope}/items\\?`) };
  const listed = await given(ofScope, asList, parts, source, withoutNames);
  return 'made' in listed
    ? { ...outcome, made: { ...(listed.made as object), ...(outcome.made as object) } }
    : listed;
}

/** The request for the file or folder of a recording, or for what is below it. */
function exactly(recording: Recording): RegExp {
  const [, kind, below = ''] =
    /\/(files|folders)\/[^/]+(\/collaborations|\/items)?$/.exec(addressOf(recording).path) ?? [];
  return new RegExp(`/2\\.0/${kind}/${itemIn(recording).replace('folder:', '')}${below}\\?`);
}

/** The topmost folder that the account sees above a file or folder. That of all files of the account without a recording of it. */
function scopeOf(recording: Recording, recordings: readonly Recording[]): string {
  const isSame = (each: Recording) => itemIn(each) === itemIn(recording) && topIn(each) !== null;
  const known = [recording, ...recordings.filter(isSame), ...recordings];
  const isEvents = /\/events$/.test(addressOf(recording).path);
  return (
    known
      .slice(0, isEvents ? undefined : known.length - recordings.length)
      .map(topIn)
      .find((top) => top !== null) ?? '0'
  );
}

function topIn({ body }: Recording): string | null {
  if (typeof body !== 'object' || body === null || !('path_collection' in body)) return null;
  const entries: unknown = Reflect.get(Object(body.path_collection), 'entries');
  const top: unknown = Array.isArray(entries) ? (entries[0] ?? body) : null;
  const id = typeof top === 'object' && top !== null ? Reflect.get(top, 'id') : null;
  return typeof id === 'string' && /^\d{1,20}$/.test(id) ? id : null;
}

const NOT_FOUND = { type: 'error', status: 404, code: 'not_found', message: 'Not recorded.' };

const sourceOf = (recordings: readonly Recording[], scope: string, isEvents: boolean): Replayed => {
  const [place, ...collaborations] = MADE_UP;
  const served: Besides = place ? [[new RegExp(`/folders/${scope}\\?`), place[1]]] : [];
  return {
    next: 'next_marker',
    feeds: /^events$/,
    always: [[/\/oauth2\/token$/, () => Response.json({ access_token: 'replayed', expires_in: 3600 })]],
    // What an event is about is looked for, and gone without a recording of it.
    otherwise: [
      ...besideOf(recordings, /\/(?:items|events|content)$/),
      ...served,
      ...(isEvents ? collaborations : MADE_UP),
    ],
    notFound: NOT_FOUND,
  };
};
