/** Whether a relative path stays below its start, whatever the file system contains. */
export const isBelow = (path: string): boolean =>
  path.length > 0 &&
  !path.includes('\0') &&
  path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
