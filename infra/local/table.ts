/** Makes external text safe for a terminal, without characters that move the cursor or set a colour. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '\uFFFD');

/** A plain table for a terminal. Numbers are right-aligned. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly (string | number)[]) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return typeof cell === 'number' ? String(cell).padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  const body = rows.length > 0 ? rows.map(line) : ['(none)'];
  return [line(head), rule, ...body, ''].join('\n');
}
