import { shortfallOf, type ZipMember } from './archive/zip.ts';
import type { BoundedText, Shortfall } from './bounded-text.ts';
import type { ExtractionContext } from './extractor.ts';

/** An embedded file is read into memory as a whole, up to this many bytes. */
const MAX_BYTES = 50_000_000;
/** Small packed files have a lower limit: the larger of this and `LIKELY_RATIO` times the packed size. */
const FREE_BYTES = 4_000_000;
const LIKELY_RATIO = 16;

/** The most bytes that may be held in memory for a packed size. */
export const mostHeld = (packedBytes: number): number =>
  Math.min(MAX_BYTES, Math.max(FREE_BYTES, packedBytes * LIKELY_RATIO));

/** A file, or its beginning and why the rest is missing. */
export type Held = { bytes: Buffer; shortfall: Shortfall | null };

/**
 * Reads a member into memory within the bounds, because readers need the whole file. Keeps the beginning if it breaks
 * off.
 * @param packedBytes its size in the container
 */
export async function hold(chunks: AsyncIterable<Uint8Array>, packedBytes: number): Promise<Held> {
  const most = mostHeld(packedBytes);
  const held: Uint8Array[] = [];
  let size = 0;
  let shortfall: Shortfall | null = null;
  try {
    for await (const chunk of chunks) {
      if (size + chunk.length > most) {
        shortfall = 'member_bound';
        break;
      }
      held.push(chunk);
      size += chunk.length;
    }
  } catch (error) {
    shortfall = shortfallOf(error);
  }
  return { bytes: Buffer.concat(held), shortfall };
}

export const holdMember = (member: ZipMember): Promise<Held> => hold(member.read(), member.packedBytes);

/** The last segment of a path. */
export const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Reads a member as a file of its own. Returns why some of it is missing. */
export async function embedMember(
  member: ZipMember,
  text: BoundedText,
  context: ExtractionContext,
): Promise<Shortfall | null> {
  const { bytes, shortfall } = await holdMember(member);
  await context.embedded({ name: fileName(member.name), mimeType: null, bytes, shortfall }, text);
  return shortfall;
}
