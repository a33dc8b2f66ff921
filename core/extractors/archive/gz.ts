import { createGunzip } from 'node:zlib';
import { BoundedText } from '../bounded-text.ts';
import { hold } from '../embedded.ts';
import type { Extractor } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';
import { charged } from './zip.ts';

const MAGIC = Buffer.from('\x1f\x8b\x08', 'latin1');
const HAS_EXTRA = 0x4;
const HAS_NAME = 0x8;
const HEADER_BYTES = 10;
const MAX_NAME_BYTES = 1_024;

/** The name of the packed file, from the gzip header or derived from the name of the archive. */
function innerName(bytes: Uint8Array, outerName: string): string {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = data[3] ?? 0;
  if ((flags & HAS_NAME) !== 0 && data.length > HEADER_BYTES + 2) {
    const start = HEADER_BYTES + ((flags & HAS_EXTRA) === 0 ? 0 : 2 + data.readUInt16LE(HEADER_BYTES));
    const end = data.indexOf(0, start);
    if (end > start && end - start <= MAX_NAME_BYTES) return data.toString('latin1', start, end);
  }
  return outerName.replace(/\.gz$/i, '').replace(/\.tgz$/i, '.tar');
}

/** Gzip (RFC 1952), which contains one file. */
export const gz: Extractor = {
  format: 'gz',
  version: 3,
  kind: 'archive',
  claims: (file) => MAGIC.equals(file.bytes.subarray(0, MAGIC.length)),
  async extract(file, context) {
    const text = new BoundedText(context.maxCharacters);
    const gunzip = createGunzip();
    gunzip.end(file.bytes);
    const { bytes, shortfall } = await hold(charged(gunzip, context.budget), file.bytes.length);
    const name = innerName(file.bytes, file.name);
    await context.embedded({ name, mimeType: null, bytes, shortfall }, text);
    return textOutcome('gz', text, shortfall);
  },
};
