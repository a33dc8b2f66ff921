/** What a cell may hold; numbers and booleans are written as such. */
export type Cell = string | number | boolean | null;

/** Says to spreadsheets that what follows is UTF-8, which they do not guess. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Where a spreadsheet of another locale may begin a cell inside ours. */
const INNER_BREAK = /([;\t\r\n])/;
/** Spreadsheets drop these before they look for a formula. */
const BEGINS_BROKEN = /^[\t\r\n]/;
/** Neither space, nor control or format character, nor quote. */
const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Cf}"]/u;
/** As NFKC writes them, so that their full-width, small and raised forms count too; and the minus sign. */
const BEGINS_FORMULA = new Set(['=', '+', '-', '@', '\u2212']);

/**
 * One line of CSV (RFC 4180, comma, CR LF). Every text is quoted, and where a spreadsheet might take it for a formula an
 * apostrophe stands before it, as OWASP's "CSV Injection" advises. So a text is not always exact: NDJSON is.
 */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(written).join(',')}\r\n`;

function written(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  return `"${withoutFormulas(cell).replaceAll('"', '""')}"`;
}

/** The text with an apostrophe wherever a formula might begin. */
export function withoutFormulas(text: string): string {
  const neutral = text
    .split(INNER_BREAK)
    .map((piece) => (beginsFormula(piece) ? `'${piece}` : piece))
    .join('');
  return BEGINS_BROKEN.test(text) ? `'${neutral}` : neutral;
}

function beginsFormula(piece: string): boolean {
  const first = VISIBLE.exec(piece)?.[0];
  return first !== undefined && BEGINS_FORMULA.has(first.normalize('NFKC'));
}
