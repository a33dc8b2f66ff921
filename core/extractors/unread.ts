import type { Extractor } from './extractor.ts';
import { isTiff } from './image/tiff-directory.ts';
import { isSealedMessage } from './mail/sealed-mail.ts';
import { sniffEncoding } from './text/text-encoding.ts';

type Signature = { format: string; at: number; magic: Buffer };

const signature = (format: string, magic: string, at = 0): Signature => ({
  format,
  at,
  magic: Buffer.from(magic, 'latin1'),
});

/** Formats whose raw text would mislead, because control codes split words. */
const TEXTUAL: readonly Signature[] = [signature('postscript', '%!PS')];

/** Encrypted files. */
const SEALED: readonly Signature[] = [
  signature('pgp', '-----BEGIN PGP MESSAGE-----'),
  signature('age', 'age-encryption.org/v1\n'),
  signature('age', '-----BEGIN AGE ENCRYPTED FILE-----'),
  signature('openssl', 'Salted__'),
  signature('ansible', '$ANSIBLE_VAULT;'),
  signature('keepass', '\x03\xd9\xa2\x9a'),
];

const BINARY: readonly Signature[] = [
  signature('image', '\x89PNG'),
  signature('image', '\xff\xd8\xff'),
  signature('image', 'GIF8'),
  signature('image', 'BM'),
  signature('image', 'II*\0'),
  signature('image', 'MM\0*'),
  signature('image', '8BPS'),
  signature('image', 'WEBP', 8),
  signature('image', '\xd7\xcd\xc6\x9a'),
  signature('image', '\0\0\x01\0'),
  signature('media', 'RIFF'),
  signature('media', 'ftyp', 4),
  signature('media', 'ID3'),
  signature('media', 'OggS'),
  signature('media', 'fLaC'),
  signature('media', '\x1a\x45\xdf\xa3'),
  signature('executable', 'MZ'),
  signature('executable', '\x7fELF'),
  signature('executable', '\xcf\xfa\xed\xfe'),
  signature('executable', '\xca\xfe\xba\xbe'),
];

const formatOf = (bytes: Uint8Array, signatures: readonly Signature[]) =>
  signatures.find(({ at, magic }) => magic.equals(bytes.subarray(at, at + magic.length)))?.format;

/**
 * Whether the start of a file identifies one of these formats, or a picture if pictures are not read. The size of a TIFF
 * can be at its end.
 */
export function isUnreadBinary(head: Uint8Array, readsPictures: boolean): boolean {
  const format = formatOf(head, BINARY);
  if (format === undefined || (format === 'image' && (readsPictures || isTiff(Buffer.from(head)))))
    return false;
  return sniffEncoding(head) === null;
}

/** Precedes plain text in the list. */
export const unreadText: Extractor = {
  format: 'postscript',
  version: 1,
  kind: 'unread',
  claims: (file) => formatOf(file.bytes, TEXTUAL) !== undefined,
  async extract(file) {
    const format = formatOf(file.bytes, TEXTUAL) ?? 'unknown';
    return { state: 'unsupported', format, reason: 'unknown_format' };
  },
};

/** Precedes plain text too, because many of these files consist of letters. */
export const sealed: Extractor = {
  format: 'sealed',
  version: 2,
  kind: 'unread',
  claims: ({ bytes }) => formatOf(bytes, SEALED) !== undefined || isSealedMessage(null, bytes),
  async extract(file) {
    const format = formatOf(file.bytes, SEALED) ?? 'pkcs7';
    return { state: 'unsupported', format, reason: 'encrypted' };
  },
};

/** Claims everything that is not text, known or not. A short signature such as `BM` can also begin a text. */
export const unreadBinary: Extractor = {
  format: 'unknown',
  version: 3,
  kind: 'unread',
  claims: (file) => sniffEncoding(file.bytes) === null,
  async extract(file) {
    const format = formatOf(file.bytes, BINARY) ?? 'unknown';
    return { state: 'unsupported', format, reason: 'unknown_format' };
  },
};
