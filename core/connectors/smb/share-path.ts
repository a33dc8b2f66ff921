import { isUtf8 } from 'node:buffer';

/**
 * Paths of a share are bytes: a file server may hold names that are not UTF-8. A path is carried as a string with
 * one character per byte (latin1), so that comparing strings compares bytes and no name is lost in decoding.
 * Relative paths have no leading slash; the share itself is ''.
 */
export const asBytes = (path: string): Buffer => Buffer.from(path, 'latin1');
export const fromBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
export const fromText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Folders nested deeper, or with a longer path in bytes, are listed but not entered. */
export const MAX_DEPTH = 64;
export const MAX_FOLDER_PATH = 1024;
/** A folder path, a slash and the longest name that file systems allow. */
const MAX_PATH = MAX_FOLDER_PATH + 256;

export function joinPath(folder: string, name: string): string {
  if (folder === '' || name === '') return folder + name;
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

/** True for a relative path that stays below its start whatever the file system holds. */
export function isSafePath(path: string): boolean {
  return (
    path.length > 0 &&
    path.length <= MAX_PATH &&
    !path.includes('\0') &&
    path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')
  );
}

/** The identity of an item: its path, opaque to everybody else, and resolvable without any state. */
export const encodePath = (path: string): string => asBytes(path).toString('base64url');

/** The path behind an id or page token; null for anything that `encodePath` did not make. */
export function decodePath(id: string): string | null {
  if (id.length > MAX_PATH * 2) return null;
  const path = fromBytes(Buffer.from(id, 'base64url'));
  return isSafePath(path) && encodePath(path) === id ? path : null;
}

/** For people: the name as text, or with its bytes beyond ASCII escaped when it is not UTF-8. */
export function displayName(name: string): string {
  const bytes = asBytes(name);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  return name.replace(/[\x80-\xff]/g, (c) => `\\x${c.charCodeAt(0).toString(16)}`);
}

export const displayPath = (path: string): string => path.split('/').map(displayName).join('/');
