import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine, withoutFormulas } from '../../../core/exports/csv.ts';
import { rowsText } from '../../../core/exports/export-format.ts';

/** Cells of one line by RFC 4180, each with whether it was quoted. */
function cellsOf(line: string): { text: string; quoted: boolean }[] {
  const cells: { text: string; quoted: boolean }[] = [];
  let at = 0;
  for (;;) {
    const quoted = line[at] === '"';
    let text = '';
    if (quoted) {
      for (at++; line[at] !== '"' || line[at + 1] === '"'; at++) {
        if (at >= line.length) throw new Error('an open quote');
        if (line[at] === '"') at++;
        text += line[at];
      }
      at++;
    } else {
      for (; line[at] !== ',' && line[at] !== '\r'; at++) text += line[at];
    }
    cells.push({ text, quoted });
    if (line[at] === '\r' && line[at + 1] === '\n' && at + 2 === line.length) return cells;
    if (line[at] !== ',') throw new Error('no comma between cells');
    at++;
  }
}

/** Texts that are full of what matters here. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '=',
        '+',
        '-',
        '@',
        '＝',
        '＋',
        '﹣',
        '−',
        ' ',
        '\t',
        '\r',
        '\n',
        ';',
        ',',
        '"',
        "'",
        '\uFEFF',
        '\u200B',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const FORMULA = /(?:^|[;\t\r\n])[\p{White_Space}\p{Cc}\p{Cf}"]{0,50}[=+\-@＝＋－＠−]/u;

test('every cell comes back, but for apostrophes before what might be a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(text, fc.integer(), fc.constant(null)), { minLength: 1 }), (cells) => {
      const back = cellsOf(csvLine(cells));
      expect(back.map(({ quoted }) => quoted)).toEqual(cells.map((cell) => typeof cell === 'string'));
      expect(back.map((cell) => cell.text)).toEqual(
        cells.map((cell) => (typeof cell === 'string' ? withoutFormulas(cell) : `${cell ?? ''}`)),
      );
    }),
  );
});

test('no text begins a formula, neither in the cell nor in another locale', () => {
  fc.assert(
    fc.property(text, (given) => {
      const neutral = withoutFormulas(given);
      expect(neutral).not.toMatch(FORMULA);
      if (!FORMULA.test(given)) expect(neutral.replaceAll("'", '')).toBe(given.replaceAll("'", ''));
    }),
  );
});

test.each([
  ['=1+1', "'=1+1"],
  ['+49 30 1234', "'+49 30 1234"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t'=1"],
  ['\tx', "'\tx"],
  ['\r=1', "'\r'=1"],
  ['   =1', "'   =1"],
  ['＝1+1', "'＝1+1"],
  ['\u200B=1', "'\u200B=1"],
  ['a;=1+1', "a;'=1+1"],
  ['a\n@x', "a\n'@x"],
  ['"=1', `'"=1`],
  ['report-2026=final@x', 'report-2026=final@x'],
  ['', ''],
])('%j becomes %j', (given, expected) => {
  expect(withoutFormulas(given)).toBe(expected);
});

test('numbers keep their sign, nothing is an empty cell', () => {
  expect(csvLine([-1.5, null, true, 'a"b'])).toBe('-1.5,,true,"a""b"\r\n');
});

test('a long text costs no more than its length', () => {
  const long = ' '.repeat(2_000_000);
  expect(withoutFormulas(long)).toBe(long);
});

const collected = async (format: 'csv' | 'ndjson', rows: { a: string }[][]) => {
  const pages = (async function* () {
    yield* rows;
  })();
  let all = '';
  for await (const piece of rowsText(format, pages, { columns: ['a'], cells: (row) => [row.a] }))
    all += piece;
  return all;
};

test('NDJSON keeps every value and says how many there were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(fc.record({ a: text }))), async (pages) => {
      const lines = (await collected('ndjson', pages)).split('\n');
      expect(lines.pop()).toBe('');
      expect(JSON.parse(lines.pop() ?? '')).toEqual({ end: true, count: pages.flat().length });
      expect(lines.map((line) => JSON.parse(line))).toEqual(pages.flat());
    }),
  );
});

test('CSV begins with the byte order mark and the names of its columns', async () => {
  expect(await collected('csv', [[{ a: '=x' }], []])).toBe('\uFEFF"a"\r\n"\'=x"\r\n');
});
