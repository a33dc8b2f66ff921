import { TextDecoder } from 'node:util';

/** WHATWG encoding labels by Windows code page. Macintosh code pages map to the nearest encoding. */
const LABELS: ReadonlyMap<number, string> = new Map([
  [866, 'ibm866'],
  [874, 'windows-874'],
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [1200, 'utf-16le'],
  [1201, 'utf-16be'],
  ...Array.from({ length: 9 }, (_, at): [number, string] => [1250 + at, `windows-${1250 + at}`]),
  [10000, 'macintosh'],
  [10001, 'shift_jis'],
  [10002, 'big5'],
  [10003, 'euc-kr'],
  [10007, 'x-mac-cyrillic'],
  [10008, 'gbk'],
  [20866, 'koi8-r'],
  [20932, 'euc-jp'],
  [20936, 'gbk'],
  [21866, 'koi8-u'],
  [28592, 'iso-8859-2'],
  [28595, 'iso-8859-5'],
  [28597, 'iso-8859-7'],
  [50220, 'iso-2022-jp'],
  [51932, 'euc-jp'],
  [51936, 'gbk'],
  [51949, 'euc-kr'],
  [54936, 'gb18030'],
  [65001, 'utf-8'],
]);

/** Cached, because creating a decoder is slower than decoding a short string. */
const decoders = new Map<string, TextDecoder>();

/** Decodes text in a Windows code page. An unknown code page is read as Western European. */
export function decodeCodePage(bytes: Uint8Array, codePage: number): string {
  const label = LABELS.get(codePage) ?? 'windows-1252';
  let decoder = decoders.get(label);
  if (decoder === undefined) {
    decoder = new TextDecoder(label, { ignoreBOM: true });
    decoders.set(label, decoder);
  }
  return decoder.decode(bytes);
}

/**
 * Code pages by primary language, which is the low ten bits of a language id ([MS-LCID]). Other languages use Western
 * European.
 */
const LANGUAGES: ReadonlyMap<number, number> = new Map([
  [0x01, 1256],
  [0x02, 1251],
  [0x04, 936],
  [0x05, 1250],
  [0x08, 1253],
  [0x0d, 1255],
  [0x0e, 1250],
  [0x11, 932],
  [0x12, 949],
  [0x15, 1250],
  [0x18, 1250],
  [0x19, 1251],
  [0x1a, 1250],
  [0x1b, 1250],
  [0x1c, 1250],
  [0x1e, 874],
  [0x1f, 1254],
  [0x20, 1256],
  [0x22, 1251],
  [0x23, 1251],
  [0x24, 1250],
  [0x25, 1257],
  [0x26, 1257],
  [0x27, 1257],
  [0x29, 1256],
  [0x2a, 1258],
  [0x2f, 1251],
]);

/** Traditional Chinese in Taiwan, Hong Kong and Macao, and Serbian in Cyrillic letters. */
const PLACES: ReadonlyMap<number, number> = new Map([
  [0x0404, 950],
  [0x0c04, 950],
  [0x1404, 950],
  [0x0c1a, 1251],
  [0x1c1a, 1251],
]);

/** The Windows code page that older systems used for a language id. */
export const codePageOfLanguage = (language: number): number =>
  PLACES.get(language) ?? LANGUAGES.get(language & 0x3ff) ?? 1252;

/** Code pages by the character set of a font. Other fonts use the code page of the document. */
export const CHARSETS: ReadonlyMap<number, number> = new Map([
  [0, 1252],
  [2, 1252],
  [77, 10000],
  [78, 10001],
  [79, 10003],
  [80, 10008],
  [81, 10002],
  [89, 10007],
  [128, 932],
  [129, 949],
  [134, 936],
  [136, 950],
  [161, 1253],
  [162, 1254],
  [163, 1258],
  [177, 1255],
  [178, 1256],
  [186, 1257],
  [204, 1251],
  [222, 874],
  [238, 1250],
]);
