import { isUtf8 } from 'node:buffer';
import { isBelow } from '../../kernel/below.ts';

/**
 * Paths of a share are bytes, because names on a file server need not be UTF-8. A path is a string with one character
 * per byte (latin1), so comparing strings compares bytes and decoding loses nothing.
 * Relative paths have no leading slash. The share itself is ''.
 */
export const asBytes = (path: string): Buffer => Buffer.from(path, 'latin1');
export const fromBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
export const fromText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Folders that are nested deeper, or have a longer path in bytes, are listed but not entered. */
export const MAX_DEPTH = 64;
export const MAX_FOLDER_PATH = 1024;
/** A folder path, a slash, and the longest name of common file systems. */
const MAX_PATH = MAX_FOLDER_PATH + 256;

export function joinPath(folder: string, name: string): string {
  if (folder === '' || name === '') return folder + name;
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}

/** Whether a relative path stays below its start, and is no longer than paths are. */
export const isSafePath = (path: string): boolean => path.length <= MAX_PATH && isBelow(path);

/** The id of an item: its encoded path. It is opaque to others and can be resolved without state. */
export const encodePath = (path: string): string => asBytes(path).toString('base64url');

/** The path of an id or page token. Null if `encodePath` did not produce it. */
export function decodePath(id: string): string | null {
  if (id.length > MAX_PATH * 2) return null;
  const path = fromBytes(Buffer.from(id, 'base64url'));
  return isSafePath(path) && encodePath(path) === id ? path : null;
}

/** The name for display. If it is not UTF-8, its bytes beyond ASCII are escaped. */
export function displayName(name: string): string {
  const bytes = asBytes(name);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  return name.replace(/[\x80-\xff]/g, (c) => `\\x${c.charCodeAt(0).toString(16)}`);
}

export const displayPath = (path: string): string => path.split('/').map(displayName).join('/');
