const WIDTH = 160;
const SHIFT = 11;
const BYTES = WIDTH / 8;

/**
 * The hash of files in document libraries, in Base64. Each byte is XORed into a ring of 160 bits, 11 bits further than
 * the byte before it. The length, eight bytes little-endian, is XORed into the last eight bytes.
 */
export function quickXorHash(content: Uint8Array): string {
  const ring = new Uint8Array(BYTES);
  const xor = (at: number, value: number) => {
    ring[at] = (ring[at] ?? 0) ^ value;
  };
  let bit = 0;
  for (const byte of content) {
    const cell = bit >>> 3;
    const offset = bit & 7;
    xor(cell, (byte << offset) & 0xff);
    if (offset > 0) xor((cell + 1) % BYTES, byte >>> (8 - offset));
    bit = (bit + SHIFT) % WIDTH;
  }
  let length = content.length;
  for (let at = BYTES - 8; at < BYTES && length > 0; at++) {
    xor(at, length & 0xff);
    length = Math.floor(length / 256);
  }
  return Buffer.from(ring).toString('base64');
}
