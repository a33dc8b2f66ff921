/** Null if the answer is no JSON. */
export function jsonFrom(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(
      Buffer.from(bytes)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    );
  } catch {
    return null;
  }
}
