import type { FileHead } from '../extractor.ts';

const HEAD = /^\s{0,9}data:([\w.+-]{0,60}\/?[\w.+-]{0,60})((?:;[\w.=+-]{1,60}){0,5}),/i;
const PICTURE = /^image\/(?!svg)/;

/** Most inline content of pages is pictures. */
export const isInlinePicture = ({ mimeType }: FileHead): boolean => PICTURE.test(mimeType ?? '');

/** The file in a `data:` address (RFC 2397). Null for other addresses and invalid ones. */
export function dataUriFile(address: string): FileHead | null {
  const head = HEAD.exec(address);
  if (head === null) return null;
  const data = address.slice(head[0].length);
  const isBase64 = /;base64$/i.test(head[2] ?? '');
  const bytes = isBase64 ? Buffer.from(data, 'base64') : percentDecoded(data);
  return { name: '', mimeType: head[1]?.toLowerCase() || null, bytes };
}

/** Escapes are bytes, not characters. */
const percentDecoded = (data: string): Buffer =>
  Buffer.from(
    Buffer.from(data)
      .toString('latin1')
      .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
