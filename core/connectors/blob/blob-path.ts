const MAX_NAME = 1_024;

/** Whether a blob can have the name. */
export const isBlobName = (name: string): boolean =>
  name !== '' && name.length <= MAX_NAME && name.isWellFormed() && !name.includes('\0');

/**
 * The path of a blob below its container, encoded for an address. Null for a name that no address can hold: one with the
 * segment `.` or `..`, which every client and proxy resolves.
 */
export function blobPath(name: string): string | null {
  const segments = name.split('/');
  if (!isBlobName(name) || segments.some((segment) => segment === '.' || segment === '..')) return null;
  return `/${segments.map(encodeURIComponent).join('/')}`;
}
