/**
 * The RC4 stream cipher, which old Office files use and Node's crypto no longer offers. Encrypts and decrypts.
 * Returns a copy.
 */
export function rc4(key: Uint8Array, data: Uint8Array): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  for (let i = 0, j = 0; i < 256; i++) {
    const a = state[i] ?? 0;
    j = (j + a + (key[i % key.length] ?? 0)) & 255;
    state[i] = state[j] ?? 0;
    state[j] = a;
  }
  const result = new Uint8Array(data.length);
  for (let n = 0, i = 0, j = 0; n < data.length; n++) {
    i = (i + 1) & 255;
    const a = state[i] ?? 0;
    j = (j + a) & 255;
    const b = state[j] ?? 0;
    state[i] = b;
    state[j] = a;
    result[n] = (data[n] ?? 0) ^ (state[(a + b) & 255] ?? 0);
  }
  return result;
}
