import type { Extractor } from '../extractor.ts';
import { isRightsManaged } from '../office/office-encryption.ts';
import { isCompoundFile, openCompoundFile } from './compound-file.ts';

const KINDS: readonly [stream: string, format: string][] = [
  ['PP40', 'ppt'],
  ['VisioDocument', 'visio'],
];

/** OLE2 compound files without a reader, identified by their streams. */
export const ole2: Extractor = {
  format: 'ole2',
  version: 1,
  kind: 'unread',
  claims: (file) => isCompoundFile(file.bytes),
  async extract(file) {
    const compound = openCompoundFile(file.bytes);
    // The directory is lost, so the kind cannot be determined.
    if (compound.entries().length === 0) return { state: 'failed', format: 'ole2', reason: 'corrupt' };
    const format = KINDS.find(([stream]) => compound.has(stream))?.[1];
    if (isRightsManaged(compound)) {
      return { state: 'unsupported', format: format ?? 'ooxml', reason: 'encrypted' };
    }
    return { state: 'unsupported', format: format ?? 'ole2', reason: 'unknown_format' };
  },
};
