/**
 * A table of Unicode strings ([MS-DOC] 2.2.4): a mark, the count, the size of extra data, then each string with its
 * length.
 */
export function tableStrings(table: Buffer): string[] {
  if (table.length < 6 || table.readUInt16LE(0) !== 0xffff) return [];
  const count = table.readUInt16LE(2);
  const extra = table.readUInt16LE(4);
  const found: string[] = [];
  for (let at = 6; at + 2 <= table.length && found.length < count; ) {
    const end = at + 2 + table.readUInt16LE(at) * 2;
    found.push(table.toString('utf16le', at + 2, Math.min(end, table.length)));
    at = end + extra;
  }
  return found;
}
