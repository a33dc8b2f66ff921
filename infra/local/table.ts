/** Makes external text safe for a terminal, without characters that move the cursor or set a colour. */
export const printable = (text: string): string => text.replace(/\p{C}/gu, '\uFFFD');

/** The text within this many characters. The middle of a longer one is left out, so that the end of a path is shown. */
export function fitted(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  const end = Math.ceil((width - 1) * 0.6);
  return `${characters.slice(0, width - 1 - end).join('')}…${characters.slice(-end).join('')}`;
}

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
