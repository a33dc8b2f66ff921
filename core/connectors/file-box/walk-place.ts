import { z } from 'zod';
import { DeltaCursorInvalid } from '../connector.ts';
import { jsonFrom } from '../json-answer.ts';
import { type Marked, nextMarked } from '../page-token.ts';
import { BOX_ID } from './box-answers.ts';

/** Folders that wait, beyond which a folder is left for those in it. A token with so many has about 200 KB. */
const WAITING = 10_000;
/** What waits then, of all folders down to the depth that Box allows. */
const MOST_FRAMES = 40_000;
/** Pages of one folder: forty million entries. */
const MAX_PAGES = 200_000;
const At: z.ZodType<Marked> = z.strictObject({
  marker: z.string().max(4_096),
  page: z.int().min(1).max(MAX_PAGES),
  seen: z.string().max(16),
});

/** A folder that is to be listed, from a marker on. */
const Frame = z.strictObject({ id: z.string().regex(BOX_ID), at: At.optional() });
export type Frame = z.infer<typeof Frame>;
/** The last is listed next. A folder that was not begun is its id. */
export const Frames = z.array(z.union([z.string().regex(BOX_ID), Frame])).max(MOST_FRAMES);
export type Frames = z.infer<typeof Frames>;

export const frameOf = (frame: Frames[number]): Frame => (typeof frame === 'string' ? { id: frame } : frame);

/**
 * What is to be listed after a page of a folder: the rest of this folder, since markers do not live long, then what is in
 * it. While many folders wait, they come first. Throws `DeltaCursorInvalid` if Box repeats a marker, and if there are more
 * folders than a place holds.
 */
export function framesAfter(
  waiting: Frames,
  listed: Frame,
  inside: readonly string[],
  marker: string | null,
): Frames {
  const rest = marker === null ? [] : [nextFrame(listed, marker)];
  const frames =
    waiting.length + inside.length > WAITING
      ? [...waiting, ...rest, ...inside]
      : [...waiting, ...inside, ...rest];
  if (frames.length > MOST_FRAMES) throw new DeltaCursorInvalid();
  return frames;
}

function nextFrame({ id, at }: Frame, marker: string): Frame {
  const next = nextMarked(at ?? null, marker);
  if (next === null || next.page > MAX_PAGES) throw new DeltaCursorInvalid();
  return { id, at: next };
}

/** Where a scope is in the stream of events. */
export const FeedPlace = z.strictObject({
  /** Null if Box does not let the account read events: then each delta is a walk. */
  position: z
    .string()
    .regex(/^[\w-]{1,100}$/)
    .nullable(),
  /** When Box said this position, in milliseconds. */
  readAt: z.int(),
  /** Digests of the events that were taken. */
  seen: z.array(z.string().max(8)).max(1_000),
  /** How many answers in a row had no event. */
  empty: z.int().min(0),
});
export type FeedPlace = z.infer<typeof FeedPlace>;

/** The place of a walk. `feed`: where the deltas after it begin. */
export const WalkPlace = z.strictObject({ frames: Frames, feed: FeedPlace.nullable() });
/** The place of a delta. `frames`: folders that came into the scope, and are to be walked before it goes on. */
export const DeltaPlace = FeedPlace.extend({ frames: Frames });
export type DeltaPlace = z.infer<typeof DeltaPlace>;

export const encoded = (place: object): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** Throws `DeltaCursorInvalid` for what is no place. */
export function decoded<T>(schema: z.ZodType<T>, token: string): T {
  const place = schema.safeParse(jsonFrom(Buffer.from(token, 'base64url')));
  if (!place.success) throw new DeltaCursorInvalid();
  return place.data;
}
