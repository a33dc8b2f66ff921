import { BoundedText } from '../bounded-text.ts';
import { hold } from '../embedded.ts';
import type { Extractor } from '../extractor.ts';
import { textOutcome } from '../text-outcome.ts';
import { ByteStream } from './byte-stream.ts';
import { isTar, readTar, TAR_HEAD_BYTES } from './tar.ts';
import { bunzipped, gunzipped, type Unpack, unxz, unzstd } from './unpacked.ts';
import { charged } from './zip.ts';

const HAS_EXTRA = 0x4;
const HAS_NAME = 0x8;
const GZ_HEADER_BYTES = 10;
const MAX_NAME_BYTES = 1_024;

/** The name in the header of gzip (RFC 1952), or null. */
function nameInGz(bytes: Uint8Array): string | null {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = data[3] ?? 0;
  if ((flags & HAS_NAME) === 0 || data.length <= GZ_HEADER_BYTES + 2) return null;
  const start = GZ_HEADER_BYTES + ((flags & HAS_EXTRA) === 0 ? 0 : 2 + data.readUInt16LE(GZ_HEADER_BYTES));
  const end = data.indexOf(0, start);
  return end > start && end - start <= MAX_NAME_BYTES ? data.toString('latin1', start, end) : null;
}

/** The name of the file inside, derived from the name of the packed file. */
const innerName = (name: string): string =>
  name.replace(/\.(?:t(?:gz|bz2?|xz|zst))$/i, '.tar').replace(/\.(?:gz|bz2?|xz|zst)$/i, '');

/** One packed file. A tar archive in it is read entry by entry, as one archive with it. */
const packed = (
  format: string,
  version: number,
  magic: string,
  unpack: Unpack,
  storedName: (bytes: Uint8Array) => string | null = () => null,
): Extractor => {
  const signature = Buffer.from(magic, 'latin1');
  return {
    format,
    version,
    kind: 'archive',
    claims: ({ bytes }) => signature.equals(bytes.subarray(0, signature.length)),
    async extract(file, context) {
      const text = new BoundedText(context.maxCharacters);
      const stream = new ByteStream(charged(unpack(file.bytes), context.budget));
      const name = storedName(file.bytes) ?? innerName(file.name);
      if (isTar(await stream.peek(TAR_HEAD_BYTES))) {
        text.besides(name);
        return textOutcome(format, text, await readTar(stream, file.bytes.length, text, context));
      }
      const { bytes, shortfall } = await hold(stream.rest(), file.bytes.length);
      await context.embedded({ name, mimeType: null, bytes, shortfall }, text);
      return textOutcome(format, text, shortfall);
    },
  };
};

export const gz = packed('gz', 4, '\x1f\x8b\x08', gunzipped, nameInGz);
export const bz2 = packed('bz2', 1, 'BZh', bunzipped);
export const xz = packed('xz', 1, '\xfd7zXZ\0', unxz);
export const zstd = packed('zstd', 1, '\x28\xb5\x2f\xfd', unzstd);
