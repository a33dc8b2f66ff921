import { createHash } from 'node:crypto';
import { ConnectorError } from './connector.ts';

/**
 * A marker that a service gave. `seen` is a digest of an earlier marker: the marker of page 1, 2, 4, 8 and so on, so that
 * markers that come round are noticed, however many there are (Brent).
 */
export type Marked = { marker: string; page: number; seen: string };

/**
 * What a walk notes to check its end. `after`: the last name before the place. `before`: the marker of the page before,
 * null if that is the first one, or if the store lists from a name on.
 */
export type Noted = { after: string; before: string | null };

/** The place of a walk over a container. */
type Place = Marked & Noted;

const digestOf = (...parts: readonly string[]) =>
  createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 12);

/** The marker after another one. Null if markers come round: such a walk would never end. */
export function nextMarked(given: Marked | null, marker: string): Marked | null {
  const digest = digestOf(marker);
  if (given !== null && (digest === given.seen || marker === given.marker)) return null;
  const page = (given?.page ?? 0) + 1;
  const isPowerOfTwo = (page & (page - 1)) === 0;
  return { marker, page, seen: given === null || isPowerOfTwo ? digest : given.seen };
}

/**
 * The page token for the next page of a walk, null after the last one. `given` is the place of this page.
 * @param diagnostic of the error if the service repeats a marker
 */
export function nextPageToken(
  container: string,
  given: Place | null,
  marker: string | null,
  diagnostic: string,
  noted: Noted = { after: '', before: null },
): string | null {
  if (marker === null) return null;
  const next = nextMarked(given, marker);
  if (next === null) throw new ConnectorError('transient', diagnostic);
  const place: Place = { ...next, ...noted };
  const text = JSON.stringify(place);
  return `${digestOf(container, text)}.${Buffer.from(text).toString('base64url')}`;
}

/** A page as the check of an end sees it. `last`: its last name, empty without entries. */
type Listed = { last: string; marker: string | null };

/** Whether a page ends a walk without any entry. A service may answer so to a marker that it has forgotten. */
export const isEmptyEnd = ({ last, marker }: Listed): boolean => last === '' && marker === null;

/**
 * Whether nothing lies beyond such a page, where only markers say from where to list. The page before is listed again, and
 * the page that its present marker leads to.
 */
export async function isEnd(
  list: (marker: string | null) => Promise<Listed>,
  { after, before }: Noted,
): Promise<boolean> {
  const again = await list(before);
  if (isEmptyEnd(again)) return before === null;
  if (again.last !== '' && again.last !== after) return false;
  return again.marker === null || isEmptyEnd(await list(again.marker));
}

/** A service may answer a marker that it never gave with an empty page, so only own tokens are accepted. */
export function placeOf(container: string, pageToken: string | null): Place | null {
  if (pageToken === null) return null;
  const [digest, encoded = ''] = pageToken.split('.');
  const text = Buffer.from(encoded, 'base64url').toString();
  if (digest !== digestOf(container, text)) throw new ConnectorError('permanent', 'page_token_invalid');
  return JSON.parse(text) as Place;
}
