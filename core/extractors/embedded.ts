import { shortfallOf, type ZipMember } from './archive/zip.ts';
import type { Shortfall } from './bounded-text.ts';

/** A file inside another is held whole to be read: up to so many bytes, */
const MAX_BYTES = 50_000_000;
/** or less when it takes little room where it lies: so many bytes in any case, and so many for each packed one. */
const FREE_BYTES = 4_000_000;
const LIKELY_RATIO = 16;

/** Bytes that something of so many packed ones may inflate to, to be held whole. */
export const mostHeld = (packedBytes: number): number =>
  Math.min(MAX_BYTES, Math.max(FREE_BYTES, packedBytes * LIKELY_RATIO));

/** A file, or its start and why there is no more of it. */
export type Held = { bytes: Buffer; shortfall: Shortfall | null };

/**
 * Holds what a member inflates to, in bounds: nobody reads a document out of pieces. What broke off is kept.
 * @param packedBytes what it takes in its container
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

/** The last part of a path. */
export const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
