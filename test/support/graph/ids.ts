import { hash } from 'node:crypto';

/** Ids in the forms of the vendor. The same key gives the same id on every machine. */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Every root of a document library has this id after the eight characters of its library. */
const ROOT = 'N6Y2GOVW7725BZO354PWSELRRZ';

const bytesOf = (key: string): Buffer => hash('sha512', key, 'buffer');

const guidText = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');

export const guidOf = (key: string): string => {
  const hex = hash('sha1', key);
  return guidText(`${hex.slice(0, 12)}4${hex.slice(13, 16)}a${hex.slice(17, 32)}`);
};

function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      text += BASE32[(value >>> (bits - 5)) & 31];
      bits -= 5;
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + BASE32[(value << (5 - bits)) & 31] : text;
}

/** `b!` and the ids of site collection, site and list, 48 bytes. */
export const driveIdOf = (key: string): string => `b!${bytesOf(key).subarray(0, 48).toString('base64url')}`;

/** What all ids of a library begin with. */
export const idPrefixOf = (driveKey: string): string => `01${base32(bytesOf(driveKey)).slice(0, 6)}`;

export const rootIdOf = (idPrefix: string): string => idPrefix + ROOT;

/** The prefix of the library, and the 16 bytes of the item's GUID. */
export const itemIdOf = (idPrefix: string, guid: string): string =>
  idPrefix + base32(Buffer.from(guid.replaceAll('-', ''), 'hex'));

export const tagOf = (guid: string, version: number): string => `"{${guid.toUpperCase()}},${version}"`;
export const contentTagOf = (guid: string, version: number): string =>
  `"c:{${guid.toUpperCase()}},${version}"`;

/** A short text that stands for a key, as in secrets of links. */
export const tokenOf = (key: string): string => bytesOf(key).subarray(0, 24).toString('base64url');
