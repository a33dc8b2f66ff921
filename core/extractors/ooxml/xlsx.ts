import { zipKind } from '../archive/zip-kind.ts';
import type { BoundedText } from '../bounded-text.ts';
import type { Extractor } from '../extractor.ts';
import type { MarkupHandler } from '../markup/xml-reader.ts';
import type { Tag } from '../markup/xml-tag.ts';
import { headerText } from '../office/spreadsheet-header.ts';
import { NumberStyles, shownNumber } from '../office/spreadsheet-number.ts';
import { SharedStrings } from '../office/spreadsheet-strings.ts';
import { drawingText, writeAttributes } from './drawing-text.ts';
import { extractOoxml } from './ooxml.ts';
import { externalLink } from './xlsx-external-link.ts';

const WORKBOOK = /^xl\/workbook\d*\.xml$/;
const STYLES = /^xl\/styles\d*\.xml$/;
const SHARED_STRINGS = /^xl\/sharedstrings\d*\.xml$/;
const SHEETS = /^xl\/(?:worksheets|chartsheets|dialogsheets|macrosheets)\/[^/]+\.xml$/;
const PIVOT_CACHE = /^xl\/pivotcache\//;
const EXTERNAL_LINKS = /^xl\/externallinks\/[^/]+\.xml$/;
const CONNECTIONS = /^xl\/(?:connections|querytables\/[^/]+)\.xml$/;

/** Parts that sheets depend on come before them. */
const ORDER = [
  WORKBOOK,
  STYLES,
  SHARED_STRINGS,
  SHEETS,
  /^xl\/(?:comments|threadedcomments)/,
  /^xl\/drawings\//,
];

/** Parts of a workbook, XML or binary, without user text. */
export const WORKBOOK_WORDLESS =
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

/** The application's limit for a cell or formula. */
const MAX_CELL_CHARACTERS = 32_767;

/** State that the parts of one workbook share. */
type Workbook = {
  date1904: boolean;
  styles: NumberStyles;
  strings: SharedStrings;
};

const SHEET_NAMES = /^xl\/workbook\.xml$/;

/**
 * Workbooks: cells of all sheets (including hidden ones), comments, text boxes, headers, charts, pivot caches, links.
 */
export const xlsx: Extractor = {
  format: 'xlsx',
  version: 4,
  claims: (file) => zipKind(file.bytes) === 'xlsx',
  extract: (file, context) =>
    extractOoxml('xlsx', file, context, (text) => {
      const workbook: Workbook = {
        date1904: false,
        styles: new NumberStyles(),
        strings: new SharedStrings(context.maxCharacters),
      };
      return {
        order: ORDER,
        handlerFor: (part) => handlerFor(part, text, workbook),
        besides: SHEET_NAMES,
      };
    }),
};

function handlerFor(part: string, text: BoundedText, workbook: Workbook): MarkupHandler | null {
  if (WORKBOOK_WORDLESS.test(part)) return null;
  if (WORKBOOK.test(part)) return workbookHandler(text, workbook);
  if (STYLES.test(part)) return stylesHandler(workbook);
  if (SHARED_STRINGS.test(part)) return sharedStringsHandler(workbook.strings);
  if (SHEETS.test(part)) return sheetHandler(text, workbook);
  if (PIVOT_CACHE.test(part)) return attributesOnly((tag) => writeAttributes(tag, text, PIVOT_ATTRIBUTES));
  if (CONNECTIONS.test(part))
    return attributesOnly((tag) => writeAttributes(tag, text, CONNECTION_ATTRIBUTES));
  return EXTERNAL_LINKS.test(part) ? externalLink(text) : drawingText(text);
}

/** A pivot table keeps a copy of its source rows, even after their sheet is deleted. */
const PIVOT_ATTRIBUTES = new Set(['v', 'name']);

const attributesOnly = (open: (tag: Tag, name: string) => void): MarkupHandler => ({
  open: (name, tag) => open(tag, name),
  text() {},
  close() {},
});

function workbookHandler(text: BoundedText, workbook: Workbook): MarkupHandler {
  return attributesOnly((tag, name) => {
    if (name === 'sheet' || name === 'definedName') text.line(givenName(tag.attribute('name') ?? ''));
    if (name === 'workbookPr') workbook.date1904 = ['1', 'true'].includes(tag.attribute('date1904') ?? '');
  });
}

/** Names such as `_xlnm.Print_Area` are built in. */
const givenName = (name: string) => (name.startsWith('_xlnm') ? '' : name);

/** Cell styles by index. `cellStyleXfs` contains the same element for named styles, which cells do not use. */
function stylesHandler(workbook: Workbook): MarkupHandler {
  let inCellStyles = false;
  return {
    open(name, tag) {
      if (name === 'cellXfs') inCellStyles = true;
      else if (name === 'numFmt')
        workbook.styles.define(Number(tag.attribute('numFmtId')), tag.attribute('formatCode') ?? '');
      else if (name === 'xf' && inCellStyles)
        workbook.styles.addStyle(Number(tag.attribute('numFmtId') ?? 0));
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
      // Phonetic text follows the text, with an element for each word.
      if (name === 'rPh' && !phonetic) {
        phonetic = true;
        strings.write(' ');
      }
    },
    text(data) {
      if (inText) strings.write(data);
    },
    close(name) {
      inText = false;
      if (name !== 'si') return;
      phonetic = false;
      strings.end();
    },
  };
}

function sheetHandler(text: BoundedText, workbook: Workbook): MarkupHandler {
  let inside = '';
  let type = '';
  let style = 0;
  let value = '';
  let formula = '';
  return {
    open(name, tag) {
      inside = name;
      if (name === 'c') {
        type = tag.attribute('t') ?? 'n';
        style = Number(tag.attribute('s') ?? 0);
        value = '';
        formula = '';
      } else if (name === 'hyperlink' || name === 'dataValidation')
        writeAttributes(tag, text, SHEET_ATTRIBUTES);
    },
    text(data) {
      if (inside === 'v' || inside === 't') value = joined(value, data);
      else if (inside === 'f') formula = joined(formula, data);
      else if (HEADERS_AND_FOOTERS.has(inside)) text.line(headerText(data));
    },
    close(name) {
      inside = '';
      if (name === 'row') text.separate('\n');
      if (name !== 'c') return;
      if (type === 's') text.write(workbook.strings.at(Number(value)));
      else
        text.write(type === 'n' ? shownNumber(value, workbook.styles.at(style), workbook.date1904) : value);
      // A formula is not visible, but an address in it is a link target.
      if (formula.includes('://')) text.write(` ${formula}`);
      text.separate('\t');
    },
  };
}

const joined = (before: string, data: string) =>
  before.length < MAX_CELL_CHARACTERS ? before + data : before;
