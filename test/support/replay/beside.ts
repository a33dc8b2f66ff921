import { type Besides, responseOf } from './given.ts';
import { addressOf, type Recording } from './recording.ts';

/**
 * What the connector asks for beside a recording, where the folder has a recording of the same path: its first page.
 */
export const besideOf = (recordings: readonly Recording[], ...except: RegExp[]): Besides =>
  recordings.flatMap((each) => {
    const { path, query } = addressOf(each);
    const isRead = each.request.method === 'GET' && each.status === 200 && query.get('alt') !== 'media';
    return isRead && !except.some((pattern) => pattern.test(path))
      ? [
          [
            new RegExp(`^GET https://[^/]+${path.replaceAll(/[^\w/-]/g, '\\$&')}(?:\\?|$)`),
            () => responseOf({ ...each, body: firstPage(each.body) }),
          ],
        ]
      : [];
  });

const firstPage = (body: unknown): unknown =>
  typeof body === 'object' && body !== null
    ? { ...body, nextPageToken: undefined, next_marker: undefined }
    : body;

/** Texts that name people, organizations, files and folders. */
const NAMING = ['name', 'path', 'modifiedBy', 'sourceUrl'];

/** What a connector made without names. The principal of a link is a word of the service. */
export function withoutNames(made: unknown): unknown {
  if (Array.isArray(made)) return made.map(withoutNames);
  if (typeof made !== 'object' || made === null || made instanceof Uint8Array) return made;
  // A label is a value that the service reads.
  if ('guid' in made) return made;
  const isNamed = 'principalKind' in made && !['anyone', 'link'].includes(String(made.principalKind));
  return Object.fromEntries(
    Object.entries(made)
      .filter(([key]) => !NAMING.includes(key) && !(isNamed && key === 'principal'))
      .map(([key, value]) => [key, withoutNames(value)]),
  );
}
