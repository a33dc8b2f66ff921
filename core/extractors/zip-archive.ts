import type { Extractor } from './extractor.ts';
import { openZip } from './zip.ts';
import { zipKind } from './zip-kind.ts';

/** Zip archives that no reader claimed: named by their kind, not read. */
export const zipArchive: Extractor = {
  format: 'zip',
  version: 1,
  claims: (file) => zipKind(file.bytes) !== null,
  async extract(file, bounds) {
    const format = zipKind(file.bytes) ?? 'zip';
    try {
      const { members } = await openZip(file.bytes, bounds);
      const sealed = members.some((member) => member.encrypted);
      return { state: 'unsupported', format, reason: sealed ? 'encrypted' : 'unknown_format' };
    } catch {
      return { state: 'failed', format, reason: 'corrupt' };
    }
  },
};
