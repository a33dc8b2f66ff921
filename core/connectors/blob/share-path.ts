/** The protocol has no longer path. */
export const MAX_PATH = 2_048;
const MAX_SEGMENT = 255;

/** Whether a file or directory can have the name. */
export const isShareName = (name: string): boolean =>
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  name.length <= MAX_SEGMENT &&
  name.isWellFormed() &&
  !/[\\/\0]/.test(name);

/** The path of a file below its share, encoded for an address. Null for a path that no file can have. */
export function sharePath(path: string): string | null {
  const segments = path.split('/');
  if (path.length > MAX_PATH || !segments.every(isShareName)) return null;
  return addressOf(segments);
}

/** The same of a directory, whose names were checked. The share itself has no segment. */
export const addressOf = (segments: readonly string[]): string =>
  segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
