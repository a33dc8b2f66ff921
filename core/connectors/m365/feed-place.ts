import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ConnectorError, DeltaCursorInvalid } from '../connector.ts';
import { jsonFrom } from '../json-answer.ts';
import type { AllowedCall } from './allowed-calls.ts';

/** Of one walk: four million entries of a drive. */
const MAX_PAGES = 20_000;

/** Where a walk through the pages of a feed is. */
export const FeedPlace = z.strictObject({
  /** Of the link to the page; '' for the first. */
  link: z.string().max(16 * 1024),
  /** Entries of that page that an earlier page of the service had. */
  skip: z.int().min(0).max(100_000),
  pages: z.int().min(0).max(MAX_PAGES),
  /** Digest of an earlier link, by which a circle of links is found. */
  met: z.string().max(64),
});
export type FeedPlace = z.infer<typeof FeedPlace>;

export const FIRST_PAGE: FeedPlace = { link: '', skip: 0, pages: 0, met: '' };

export const encodePlace = <P extends FeedPlace>(place: P): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url');

/**
 * Throws `DeltaCursorInvalid` for what is no place.
 * @param token undefined if a worker of another release stored it under another name
 */
export function decodePlace<P extends FeedPlace>(schema: z.ZodType<P>, token: string | undefined): P {
  if (token === undefined) throw new DeltaCursorInvalid();
  const place = schema.safeParse(jsonFrom(Buffer.from(token, 'base64url')));
  if (!place.success) throw new DeltaCursorInvalid();
  return place.data;
}

/** What Graph answers for a page of a feed. */
type Answered<E> = {
  value: E[];
  '@odata.nextLink'?: string | null | undefined;
  '@odata.deltaLink'?: string | null | undefined;
};

/**
 * A page of at most `size` entries, since Graph may send more than it was asked for, and what follows it: the next place,
 * or the link at which the feed goes on later.
 * @param stored makes of a link what a place keeps
 */
export function pageAt<P extends FeedPlace, E>(
  call: AllowedCall,
  place: P,
  answered: Answered<E>,
  size: number,
  stored: (link: string) => string,
): { entries: E[]; next: P; end: null } | { entries: E[]; next: null; end: string } {
  const { value, '@odata.nextLink': nextLink, '@odata.deltaLink': deltaLink } = answered;
  const entries = value.slice(place.skip, place.skip + size);
  if (value.length > place.skip + size)
    return { entries, next: { ...place, skip: place.skip + size }, end: null };
  if (deltaLink) return { entries, next: null, end: stored(deltaLink) };
  // Without a link there is no cursor, and so no end of the walk.
  if (!nextLink) throw new ConnectorError('transient', `graph_${call}_malformed`);
  return { entries, next: placeAfter(place, stored(nextLink)), end: null };
}

/**
 * The place after a page. A link that was met before would lead in a circle. One earlier link is remembered, a later one
 * at each power of two, so a circle of any length is found within twice its length (Brent).
 */
export function placeAfter<P extends FeedPlace>(place: P, link: string): P {
  const pages = place.pages + 1;
  const digest = digestOf(link);
  if (digest === place.met || digest === digestOf(place.link) || pages >= MAX_PAGES)
    throw new DeltaCursorInvalid();
  const met = Number.isInteger(Math.log2(pages)) ? digest : place.met;
  return { ...place, link, skip: 0, pages, met };
}

/** The same for links with the same token, which Graph writes as `delta(token='…')` and as a parameter. */
function digestOf(link: string): string {
  const [, token = link] = /token='?([^'&)]+)/.exec(link) ?? [];
  return createHash('sha256').update(token).digest('base64url');
}
