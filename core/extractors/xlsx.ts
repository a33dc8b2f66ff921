import type { SaxesTagPlain } from 'saxes';
import { BoundedText } from './bounded-text.ts';
import { drawingText, writeAttributes } from './drawing-text.ts';
import type { Extractor } from './extractor.ts';
import { attribute, type MarkupHandler } from './markup.ts';
import { extractOoxml } from './ooxml.ts';
import { type NumberShape, numberShape, shownNumber } from './spreadsheet-number.ts';
import { zipKind } from './zip-kind.ts';

const WORKBOOK = /^xl\/workbook\d*\.xml$/;
const STYLES = /^xl\/styles\d*\.xml$/;
const SHARED_STRINGS = /^xl\/sharedstrings\d*\.xml$/;
const SHEETS = /^xl\/(?:worksheets|chartsheets|dialogsheets|macrosheets)\/[^/]+\.xml$/;
const PIVOT_CACHE = /^xl\/pivotcache\//;
const CONNECTIONS = /^xl\/(?:connections|querytables\/[^/]+)\.xml$/;

/** What a sheet needs comes before it. */
const ORDER = [
  WORKBOOK,
  STYLES,
  SHARED_STRINGS,
  SHEETS,
  /^xl\/(?:comments|threadedcomments)/,
  /^xl\/drawings\//,
];

const WORDLESS =
  /^(?:\[content_types\]|_rels\/|xl\/(?:theme\/|calcchain|metadata|tables\/|ctrlprops\/|richdata\/|slicer)|.*\/diagrams\/(?:layout|colors|quickstyle|drawing)|.*\/(?:style|colors)\d+\.xml$|customxml\/)/;

const HEADERS_AND_FOOTERS = new Set([
  'oddHeader',
  'oddFooter',
  'evenHeader',
  'evenFooter',
  'firstHeader',
  'firstFooter',
]);
const SHEET_ATTRIBUTES = new Set(['tooltip', 'display', 'prompt', 'promptTitle', 'error', 'errorTitle']);
const CONNECTION_ATTRIBUTES = new Set(['name', 'description', 'connection', 'command', 'url', 'sourceFile']);

/** What a workbook may hold, by the application's own limits: characters of a cell or formula, cell styles. */
const MAX_CELL_CHARACTERS = 32_767;
const MAX_STYLES = 65_490;

/** What the parts of one workbook know of each other. */
type Workbook = {
  date1904: boolean;
  /** By cell style. */
  shapes: NumberShape[];
  strings: SharedStrings;
};

/** All shared strings in one text with their ends, so that a million of them is one string and not a million. */
class SharedStrings {
  readonly #text: BoundedText;
  readonly #ends: number[] = [];
  readonly #most: number;
  #whole: string | null = null;

  constructor(maxCharacters: number) {
    this.#text = new BoundedText(maxCharacters);
    this.#most = maxCharacters;
  }

  /** Past the bound strings are dropped: the sheets that show them reach their own bound no later. */
  get full(): boolean {
    return this.#text.full || this.#ends.length >= this.#most;
  }

  write(text: string): void {
    this.#text.write(text);
  }

  end(): void {
    if (!this.full) this.#ends.push(this.#text.length);
  }

  at(index: number): string {
    this.#whole ??= this.#text.toString();
    const end = this.#ends[index];
    return end === undefined ? '' : this.#whole.slice(this.#ends[index - 1] ?? 0, end);
  }
}

/** Workbooks: cells of every sheet (hidden ones too), comments, text boxes, headers, charts, pivot caches, links. */
export const xlsx: Extractor = {
  format: 'xlsx',
  version: 1,
  claims: (file) => zipKind(file.bytes) === 'xlsx',
  extract: (file, bounds) =>
    extractOoxml('xlsx', file, bounds, (text) => {
      const workbook: Workbook = {
        date1904: false,
        shapes: [],
        strings: new SharedStrings(bounds.maxCharacters),
      };
      return { order: ORDER, handlerFor: (part) => handlerFor(part, text, workbook) };
    }),
};

function handlerFor(part: string, text: BoundedText, workbook: Workbook): MarkupHandler | null {
  if (WORDLESS.test(part)) return null;
  if (WORKBOOK.test(part)) return workbookHandler(text, workbook);
  if (STYLES.test(part)) return stylesHandler(workbook);
  if (SHARED_STRINGS.test(part)) return sharedStringsHandler(workbook.strings);
  if (SHEETS.test(part)) return sheetHandler(text, workbook);
  if (PIVOT_CACHE.test(part)) return attributesOnly((tag) => writeAttributes(tag, text, PIVOT_ATTRIBUTES));
  if (CONNECTIONS.test(part))
    return attributesOnly((tag) => writeAttributes(tag, text, CONNECTION_ATTRIBUTES));
  return drawingText(text);
}

/** A pivot table keeps a copy of the rows that it was made from, even when their sheet is gone. */
const PIVOT_ATTRIBUTES = new Set(['v', 'name']);

const attributesOnly = (open: (tag: SaxesTagPlain, name: string) => void): MarkupHandler => ({
  open: (name, tag) => open(tag, name),
  text() {},
  close() {},
});

function workbookHandler(text: BoundedText, workbook: Workbook): MarkupHandler {
  return attributesOnly((tag, name) => {
    if (name === 'sheet') text.line(attribute(tag, 'name') ?? '');
    if (name === 'workbookPr') workbook.date1904 = ['1', 'true'].includes(attribute(tag, 'date1904') ?? '');
  });
}

/** Cell styles in the order of their index; `cellStyleXfs` holds the same element for named styles, unused here. */
function stylesHandler(workbook: Workbook): MarkupHandler {
  const codes = new Map<number, string>();
  let inCellStyles = false;
  return {
    open(name, tag) {
      if (name === 'cellXfs') inCellStyles = true;
      else if (name === 'numFmt' && codes.size < MAX_STYLES)
        codes.set(Number(attribute(tag, 'numFmtId')), attribute(tag, 'formatCode') ?? '');
      else if (name === 'xf' && inCellStyles && workbook.shapes.length < MAX_STYLES) {
        const id = Number(attribute(tag, 'numFmtId') ?? 0);
        workbook.shapes.push(numberShape(id, codes.get(id)));
      }
    },
    text() {},
    close(name) {
      if (name === 'cellXfs') inCellStyles = false;
    },
  };
}

function sharedStringsHandler(strings: SharedStrings): MarkupHandler {
  let inText = false;
  let phonetic = false;
  return {
    open(name) {
      inText = name === 't';
      if (name === 'rPh') phonetic = true;
    },
    text(data) {
      if (inText && !phonetic) strings.write(data);
    },
    close(name) {
      inText = false;
      if (name === 'rPh') phonetic = false;
      if (name === 'si') strings.end();
    },
  };
}

function sheetHandler(text: BoundedText, workbook: Workbook): MarkupHandler {
  let inside = '';
  let type = '';
  let shape: NumberShape = { kind: 'plain' };
  let value = '';
  let formula = '';
  return {
    open(name, tag) {
      inside = name;
      if (name === 'c') {
        type = attribute(tag, 't') ?? 'n';
        shape = workbook.shapes[Number(attribute(tag, 's') ?? 0)] ?? { kind: 'plain' };
        value = '';
        formula = '';
      } else if (name === 'hyperlink' || name === 'dataValidation')
        writeAttributes(tag, text, SHEET_ATTRIBUTES);
    },
    text(data) {
      if (inside === 'v' || inside === 't') value = joined(value, data);
      else if (inside === 'f') formula = joined(formula, data);
      else if (HEADERS_AND_FOOTERS.has(inside)) text.line(withoutCodes(data));
    },
    close(name) {
      inside = '';
      if (name === 'row') text.separate('\n');
      if (name !== 'c') return;
      if (type === 's') text.write(workbook.strings.at(Number(value)));
      else text.write(type === 'n' ? shownNumber(value, shape, workbook.date1904) : value);
      // A formula is not seen, but an address inside one is where a click leads.
      if (formula.includes('://')) text.write(` ${formula}`);
      text.separate('\t');
    },
  };
}

const joined = (before: string, data: string) =>
  before.length < MAX_CELL_CHARACTERS ? before + data : before;

/** `&L&"Arial,Bold"&12Secret &P` → `Secret`: sections part words, the rest is fonts, numbers and dates. */
const withoutCodes = (data: string) => data.replace(/&(?:"[^"]*"|K[0-9A-F]{6}|\d{1,3}|[A-Z])/gi, ' ').trim();
