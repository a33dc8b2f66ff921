import type { BoundedText } from '../bounded-text.ts';
import { dateText, numberText } from './iwork-cell.ts';
import { bytesIn, messageIn, numberIn, textIn } from './protobuf.ts';

const CHART = 5021;
const CHART_TITLES = 5023;
const AXIS_TITLES = 5027;

/** The field by which a chart, and each of its kinds of titles, extends what it is made of. */
const EXTENSION = 10_000;
/** Of `TSCH.ChartArchive`, of the grid in it, of a row, of a value. */
const GRID = 7;
const ROW_NAMES = 1;
const COLUMN_NAMES = 2;
const ROWS = 3;
const VALUES = 1;
const NUMBER = 1;
const DATE = 4;

/** Titles with the field that says whether they are shown. */
const TITLES: Readonly<Record<number, readonly { shown: number; title: number }[]>> = {
  [CHART_TITLES]: [{ shown: 21, title: 23 }],
  [AXIS_TITLES]: [
    { shown: 13, title: 15 },
    { shown: 14, title: 16 },
  ],
};

/** The data of a chart, or its titles, which are objects of their own. */
export function writeChart(type: number, message: Buffer, text: BoundedText): void {
  const extension = messageIn(message, EXTENSION);
  if (extension === null) return;
  for (const { shown, title } of TITLES[type] ?? []) {
    if (numberIn(extension, shown) === 1) text.line(textIn(extension, title));
  }
  const grid = type === CHART ? messageIn(extension, GRID) : null;
  if (grid !== null) writeGrid(grid, text);
}

function writeGrid(grid: Buffer, text: BoundedText): void {
  const names = (field: number) => [...bytesIn(grid, field)].map((name) => name.toString('utf8'));
  text.line(names(COLUMN_NAMES).join('\t'));
  const rowNames = names(ROW_NAMES);
  let row = 0;
  for (const values of bytesIn(grid, ROWS)) {
    const cells = [...bytesIn(values, VALUES)].map(valueText);
    text.line([rowNames[row++] ?? '', ...cells].join('\t'));
    if (text.full) return;
  }
}

function valueText(value: Buffer): string {
  const date = numberIn(value, DATE);
  return date === null ? numberText(numberIn(value, NUMBER) ?? Number.NaN) : dateText(date);
}
