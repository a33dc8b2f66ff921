/** How pdf.js gives pixels: bits with rows padded to bytes, or bytes per channel. */
const ONE_BIT = 1;
const RGB = 2;
const RGBA = 3;
const WHITE = 255;

/** A picture as a file that any reader of pictures takes. */
export type GreyPicture = { file: Uint8Array; width: number; height: number };

/**
 * Decoded pixels of pdf.js as a portable grey map (PGM). Null when they are none, or do not fill their sides.
 * @param isMask one bit for each pixel, black where it is not set
 */
export function greyPicture(pixels: Readonly<Record<string, unknown>>, isMask: boolean): GreyPicture | null {
  const { data, width, height } = pixels;
  const kind = isMask ? ONE_BIT : pixels.kind;
  if (!(data instanceof Uint8Array || data instanceof Uint8ClampedArray)) return null;
  if (typeof width !== 'number' || typeof height !== 'number') return null;
  const count = width * height;
  const head = Buffer.from(`P5\n${width} ${height}\n${WHITE}\n`);
  const file = new Uint8Array(head.length + count);
  file.set(head);
  const grey = file.subarray(head.length);
  if (kind === ONE_BIT) {
    const rowBytes = (width + 7) >> 3;
    if (data.length < rowBytes * height) return null;
    for (let at = 0, y = 0; y < height; y++) {
      for (let x = 0; x < width; x++, at++) {
        const byte = data[y * rowBytes + (x >> 3)] ?? 0;
        grey[at] = (byte >> (7 - (x & 7))) & 1 ? WHITE : 0;
      }
    }
  } else if (kind === RGB || kind === RGBA) {
    const channels = kind === RGB ? 3 : 4;
    if (data.length < count * channels) return null;
    for (let at = 0, from = 0; at < count; at++, from += channels) grey[at] = luma(data, from);
  } else return null;
  return { file, width, height };
}

/** ITU-R BT.601 in 256ths. */
const luma = (data: Uint8Array | Uint8ClampedArray, at: number) =>
  (77 * (data[at] ?? 0) + 150 * (data[at + 1] ?? 0) + 29 * (data[at + 2] ?? 0)) >> 8;
