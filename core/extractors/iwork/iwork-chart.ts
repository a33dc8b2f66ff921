import type { BoundedText } from '../bounded-text.ts';
import { dateText, numberText } from './iwork-cell.ts';
import { bytesIn, messageIn, numberIn, textIn } from './protobuf.ts';

const CHART = 5021;
const CHART_TITLES = 5023;
const AXIS_TITLES = 5027;

/** The number of the extension field of charts and of chart titles. */
const EXTENSION = 10_000;
/** Fields of `TSCH.ChartArchive`, its grid, its rows and its values. */
const GRID = 7;
const ROW_NAMES = 1;
const COLUMN_NAMES = 2;
const ROWS = 3;
const VALUES = 1;
const NUMBER = 1;
const DATE = 4;

/** Title fields, each with the field that says whether the title is shown. */
const TITLES: Readonly<Record<number, readonly { shown: number; title: number }[]>> = {
  [CHART_TITLES]: [{ shown: 21, title: 23 }],
  [AXIS_TITLES]: [
    { shown: 13, title: 15 },
    { shown: 14, title: 16 },
  ],
};

/** Writes the data of a chart, or its titles, which are separate objects. */
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
