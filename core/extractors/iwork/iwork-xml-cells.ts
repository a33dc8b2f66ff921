import type { BoundedText } from '../bounded-text.ts';
import type { Tag } from '../markup/xml-tag.ts';
import { numberText } from './iwork-cell.ts';

/** Elements, and the attribute with the displayed content of a cell or formula result. */
const VALUES: ReadonlyMap<string, string> = new Map([
  ['n', 'v'],
  ['rn', 'v'],
  ['sl', 'v'],
  ['st', 'v'],
  ['cb', 'v'],
  ['rb', 'v'],
  ['d', 'cell-date'],
  ['rd', 'cell-date'],
  ['du', 'du'],
  ['rdu', 'du'],
  ['number-cell', 'value'],
  ['result-number-cell', 'value'],
  ['bool-cell', 'value'],
  ['result-bool-cell', 'value'],
  ['date-cell', 'cell-date'],
  ['result-date-cell', 'cell-date'],
]);
/** A text without formatting is an attribute of its cell. */
const TEXTS = new Set(['ct', 'cell-text']);
const TEXT_ATTRIBUTES = new Set(['s', 'string']);

/** An offset of this many columns leads to the next row. */
const ROW = 256;
/** An integer whose digits a double may not hold. */
const WHOLE = /^-?\d{1,40}$/;
const NUMBER = /^-?\d*\.?\d+(?:e[+-]?\d+)?$/i;
const MAX_CHOICES = 10_000;
const MAX_CHOICE_CHARACTERS = 200;

export type Cells = {
  /** Whether this is a choice of a menu. Only the selected choice is shown. */
  readonly isApart: boolean;
  open(name: string, parent: string, tag: Tag): void;
  close(name: string): void;
};

/** Tables of iWork '09 and earlier. Cells follow each other row by row, and some state how many cells they skip. */
export function xmlCells(text: BoundedText): Cells {
  let columns = 1;
  let column = -1;
  let row = 0;
  let lastRow = -1;
  let isApart = false;
  let choice = '';
  const choices = new Map<string, string>();
  const startTable = (tag: Tag) => {
    columns = Math.max(1, Number(tag.attribute('numcols')) || 1);
    column = -1;
    row = 0;
    lastRow = -1;
  };
  const startCell = (tag: Tag) => {
    const place = { row: tag.attribute('row'), column: tag.attribute('col') };
    const move = Number(tag.attribute('ct') ?? 1) || 1;
    if (place.row !== undefined && place.column !== undefined) {
      row = Number(place.row);
    } else {
      column += move;
      row += Math.floor(column / ROW);
      column %= ROW;
      if (move === 1 && column >= columns) {
        column = 0;
        row++;
      }
    }
    text.separate(row === lastRow ? '\t' : '\n');
    lastRow = row;
  };
  const show = (value: string) => {
    if (!isApart) text.write(value);
    else if (choices.size < MAX_CHOICES) choices.set(choice, value.slice(0, MAX_CHOICE_CHARACTERS));
  };
  return {
    get isApart() {
      return isApart;
    },
    open(name, parent, tag) {
      if (name === 'grid') startTable(tag);
      if (parent === 'datasource') startCell(tag);
      if (name === 'menu-choices') isApart = true;
      if (parent === 'menu-choices') choice = tag.attribute('ID') ?? '';
      if (name === 'proxied-cell-ref') text.write(choices.get(tag.attribute('IDREF') ?? '') ?? '');
      const attribute = VALUES.get(name);
      if (attribute !== undefined) show(shownValue(tag.attribute(attribute) ?? ''));
      if (TEXTS.has(name)) tag.forEach(TEXT_ATTRIBUTES, show);
    },
    close(name) {
      if (name === 'menu-choices') isApart = false;
      if (name === 'datasource' || name === 'tabular-model') text.separate('\n');
    },
  };
}

/** Formats numbers without binary rounding noise, and dates in ISO 8601. */
function shownValue(stored: string): string {
  if (WHOLE.test(stored)) return stored;
  if (NUMBER.test(stored)) return numberText(Number(stored));
  const date = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d/.exec(stored);
  if (date === null) return stored;
  return date[2] === '00:00' ? (date[1] ?? '') : `${date[1]} ${date[2]}`;
}
