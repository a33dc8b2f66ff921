const TEXT = 0x17;
const SCHEME = '://';
const WIDE_SCHEME = Buffer.from(SCHEME, 'utf16le');
/** The application's limit for a text in a formula. */
const MAX_TEXT_CHARACTERS = 255;

/**
 * Extracts addresses from the texts of a binary formula ([MS-XLS] 2.5.198.89, [MS-XLSB] 2.5.97.90), because they are
 * link targets. The formula is not parsed: texts are recognised by their form.
 * @param lengthBytes 1 if a flag for wide characters follows the length, 2 if the text is always wide
 */
export function formulaAddresses(formula: Buffer, lengthBytes: 1 | 2): string[] {
  if (!formula.includes(SCHEME) && !formula.includes(WIDE_SCHEME)) return [];
  const found: string[] = [];
  for (let at = formula.indexOf(TEXT); at >= 0 && at + 3 <= formula.length; at = formula.indexOf(TEXT, at)) {
    const length = lengthBytes === 1 ? formula.readUInt8(at + 1) : formula.readUInt16LE(at + 1);
    const wide = lengthBytes === 2 || formula.readUInt8(at + 2) === 1;
    const end = at + 3 + length * (wide ? 2 : 1);
    const text =
      length <= MAX_TEXT_CHARACTERS && end <= formula.length
        ? formula.toString(wide ? 'utf16le' : 'latin1', at + 3, end)
        : '';
    if (text.includes(SCHEME)) found.push(text);
    at = text.includes(SCHEME) ? end : at + 1;
  }
  return found;
}
