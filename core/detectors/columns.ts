const DELIMITERS = ['\t', ';', '|', ','] as const;
const MOST_LINE_CHARACTERS = 1_000;
const MOST_HEADER_CHARACTERS = 40;

type Table = { start: number; end: number; delimiter: string; header: readonly string[] };

/**
 * In a table the word that explains a value stands at the top of its column, not beside it. Returns the header above
 * an offset, or '' where the text is no table: lines that follow each other with the same number of cells, the first
 * of which holds short names.
 */
export function columnHeaders(text: string): (offset: number) => string {
  const tables = findTables(text);
  return (offset) => {
    const table = tableAt(tables, offset);
    if (table === undefined) return '';
    const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
    return table.header[cellsOf(text.slice(lineStart, offset), table.delimiter).length - 1] ?? '';
  };
}

function findTables(text: string): Table[] {
  const tables: Table[] = [];
  let header: Omit<Table, 'end'> | null = null;
  for (let lineStart = 0; lineStart < text.length; ) {
    const newline = text.indexOf('\n', lineStart);
    const lineEnd = newline === -1 ? text.length : newline;
    const line = lineEnd - lineStart > MOST_LINE_CHARACTERS ? '' : text.slice(lineStart, lineEnd);
    if (header !== null && cellsOf(line, header.delimiter).length === header.header.length) {
      const last = tables.at(-1);
      if (last?.start === header.start) last.end = lineEnd;
      else tables.push({ ...header, end: lineEnd });
    } else {
      header = headerOf(line, lineEnd + 1);
    }
    lineStart = lineEnd + 1;
  }
  return tables;
}

function headerOf(line: string, start: number): Omit<Table, 'end'> | null {
  for (const delimiter of DELIMITERS) {
    if (!line.includes(delimiter)) continue;
    const header = cellsOf(line, delimiter);
    return header.every(isName) ? { start, delimiter, header } : null;
  }
  return null;
}

const isName = (cell: string) =>
  cell.length <= MOST_HEADER_CHARACTERS && (cell.trim() === '' || /\p{L}/u.test(cell)) && !/\d{4}/.test(cell);

/** Cells of one line; a delimiter between double quotes does not divide. */
function cellsOf(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cellStart = 0;
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    if (line[i] === '"') quoted = !quoted;
    else if (!quoted && line[i] === delimiter) {
      cells.push(line.slice(cellStart, i));
      cellStart = i + 1;
    }
  }
  cells.push(line.slice(cellStart));
  return cells;
}

function tableAt(tables: readonly Table[], offset: number): Table | undefined {
  let low = 0;
  let high = tables.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tables[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const table = tables[low];
  return table !== undefined && table.start <= offset ? table : undefined;
}
