/** XML's own, and no others: nothing that a document declares is ever put in its place, so that nothing can expand. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi;
const MAX_CODE_POINT = 0x10ffff;

/** Text with its references resolved (XML 1.0, 4.1 and 4.6). What is none, or names something else, stays as it is. */
export const decodedXml = (text: string): string =>
  text.includes('&')
    ? text.replace(REFERENCE, (whole: string, decimal?: string, hexadecimal?: string, name?: string) => {
        if (name !== undefined) return ENTITIES.get(name) ?? whole;
        const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
        return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : whole;
      })
    : text;
