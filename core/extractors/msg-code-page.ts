const WESTERN = 1252;

/** Windows code pages by the low ten bits of a locale, its language ([MS-LCID]); others are Western European. */
const BY_LANGUAGE: ReadonlyMap<number, number> = new Map([
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
]);

/** Places where the language is written otherwise: Taiwan, Hong Kong, Macau; Serbian in Cyrillic. */
const BY_LOCALE: ReadonlyMap<number, number> = new Map([
  [0x0404, 950],
  [0x0c04, 950],
  [0x1404, 950],
  [0x0c1a, 1251],
  [0x1c1a, 1251],
]);

/** The code page in which a system of this locale writes text that is not in Unicode. */
export const codePageOfLocale = (locale: number): number =>
  BY_LOCALE.get(locale) ?? BY_LANGUAGE.get(locale & 0x3ff) ?? WESTERN;
