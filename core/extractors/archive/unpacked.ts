import { createGunzip, createZstdDecompress } from 'node:zlib';
import { Damaged } from '../damage.ts';
import { openArchive } from './libarchive.ts';

/** Yields what a packed file holds, in chunks. Throws what `isDamage` knows where it breaks off. */
export type Unpack = (packed: Uint8Array) => AsyncIterable<Uint8Array>;

export const gunzipped: Unpack = (packed) => {
  const stream = createGunzip();
  stream.end(packed);
  return stream;
};

/** Frames may follow each other. A stream of Node ends with the first. */
export async function* unzstd(packed: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < packed.length; ) {
    const frame = createZstdDecompress();
    frame.end(packed.subarray(at));
    yield* frame;
    if (frame.bytesWritten === 0) throw new Damaged('no_frame');
    at += frame.bytesWritten;
  }
}

/** What is packed behind the file, in the same format, so that its end is recognised: a marker, then zeros. */
const MARKER = Buffer.from('\0end of the packed file\0');
const ZERO_BYTES = 262_144;
const TAIL_BYTES = MARKER.length + ZERO_BYTES;

/**
 * libarchive unpacks these formats only around an archive, and their streams may follow each other. So the file is put
 * between the packed header of an endless tar entry and a packed end.
 */
const between = (header: string, end: string): Unpack => {
  const before = Buffer.from(header, 'base64');
  const after = Buffer.from(end, 'base64');
  return (packed) => untilMarker(Buffer.concat([before, packed, after]));
};

export const bunzipped = between(
  'QlpoOTFBWSZTWV8K9TgAAB3bgMiAQAB9gAAA4AAeAAgAIABUQTIaBkwJJqjammm1BpVhiv3ieCXKZmHy0OAKYPNVh72uoWvvNTOKF3JFOFCQXwr1OA==',
  'QlpoOTFBWSZTWfn7jKYABghRgOAAQAAvbcQAAAggAFQlINAxGgVKjQyB6R8QBfWRAFtIgC62M4tVeVzn2W9LKmQQAA+LuSKcKEh8/cZTAA==',
);
export const unxz = between(
  '/Td6WFoAAAD/EtlBAgAhAQwAAACPmEGc4AH/AC1dADCAM1AYaImC7aeAafiFLWa+GfIKdChu/VLQbF2cvDaRAlNJxKpzRpN0CwkrAAAAAAAAAUGABAAAANEq1TmoAAr8AgAAAAAAWVo=',
  '/Td6WFoAAAD/EtlBAgAhAQwAAACPmEGc5AAXAIJdAAAaTweNCsfJzVjhSfQXB21vqPmPimIekxIT0IWsJsjUGX0yIc8HPksQszhepWGkZSKO3/PqDdq+WOhpwTSxu6eyLLSjizPddE1FwF4za/IuRprrDfqSnYKQT+K2vEU/HKkERmzBTi9qEnsdBis4EpWYin4qkfIndfcZwAaX4b/C/AAAAAAAAZYBmIAQAKnICeaoAAr8AgAAAAAAWVo=',
);

/** The end of the entry is held back, because the marker is in it. Without one, the file is broken. */
async function* untilMarker(packed: Uint8Array): AsyncGenerator<Uint8Array> {
  let tail: Buffer = Buffer.alloc(0);
  try {
    for await (const entry of (await openArchive(packed)).entries()) {
      for await (const chunk of entry.read()) {
        const all = Buffer.concat([tail, chunk]);
        tail = all.subarray(Math.max(0, all.length - TAIL_BYTES));
        if (all.length > tail.length) yield all.subarray(0, all.length - tail.length);
      }
    }
  } catch (error) {
    // The entry never ends, so reading it ends with an error in any case.
    if (!(error instanceof Damaged)) throw error;
  }
  const end = tail.lastIndexOf(MARKER);
  yield end < 0 ? tail : tail.subarray(0, end);
  if (end < 0) throw new Damaged('packed_file_breaks_off');
}
