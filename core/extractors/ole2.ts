import { entryNames, isCompoundFile } from './compound-file.ts';
import type { Extractor } from './extractor.ts';

/** Streams that hold a document which only its key opens: Office encryption, rights management. */
const SEALED = ['EncryptedPackage', '\tDRMContent', '\tDRMViewerContent'];

const KINDS: readonly [stream: string, format: string][] = [
  ['WordDocument', 'doc'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
  ['PowerPoint Document', 'ppt'],
  ['__properties_version1.0', 'msg'],
  ['PP40', 'ppt'],
  ['VisioDocument', 'visio'],
];

/** OLE2 compound files: told apart by their streams, not read. */
export const ole2: Extractor = {
  format: 'ole2',
  version: 1,
  claims: (file) => isCompoundFile(file.bytes),
  async extract(file) {
    const names = entryNames(file.bytes);
    const format = KINDS.find(([stream]) => names.has(stream))?.[1];
    if (SEALED.some((stream) => names.has(stream))) {
      return { state: 'unsupported', format: format ?? 'ooxml', reason: 'encrypted' };
    }
    return { state: 'unsupported', format: format ?? 'ole2', reason: 'unknown_format' };
  },
};
