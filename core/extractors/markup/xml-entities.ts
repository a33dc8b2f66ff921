/** The five predefined entities of XML. Entities that a document declares are not resolved, so nothing can expand. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi;
const MAX_CODE_POINT = 0x10ffff;

/** Resolves references (XML 1.0, 4.1 and 4.6). Invalid or unknown references stay as they are. */
export const decodedXml = (text: string): string =>
  text.includes('&')
    ? text.replace(REFERENCE, (whole: string, decimal?: string, hexadecimal?: string, name?: string) => {
        if (name !== undefined) return ENTITIES.get(name) ?? whole;
        const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
        return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : whole;
      })
    : text;
