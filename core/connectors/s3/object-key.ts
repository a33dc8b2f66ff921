const MAX_KEY_BYTES = 1_024;

/** Whether an object can have the key. */
export const isKey = (key: string): boolean =>
  key !== '' && key.isWellFormed() && Buffer.byteLength(key) <= MAX_KEY_BYTES;

/** As the signature of a request wants it. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * The path of an object below its bucket, encoded for an address. Null for a key that no address can hold: one with the
 * segment `.` or `..`, which every client and proxy resolves, or with the character NUL.
 */
export function keyPath(key: string): string | null {
  const segments = key.split('/');
  if (!isKey(key) || key.includes('\0') || segments.some((segment) => segment === '.' || segment === '..'))
    return null;
  return `/${segments.map(encoded).join('/')}`;
}
