import { zipKind } from '../archive/zip-kind.ts';
import type { BoundedText } from '../bounded-text.ts';
import type { Extractor } from '../extractor.ts';
import { ddeText } from '../office/dde-link.ts';
import { formulaAddresses } from '../office/spreadsheet-formula.ts';
import { headerText } from '../office/spreadsheet-header.ts';
import { NumberStyles, shownNumber } from '../office/spreadsheet-number.ts';
import { SharedStrings } from '../office/spreadsheet-strings.ts';
import { booleanText, errorText, rkNumber } from '../office/spreadsheet-value.ts';
import { drawingText } from './drawing-text.ts';
import { extractOoxml, type PartReader } from './ooxml.ts';
import { type RecordFields, readRecords } from './xlsb-records.ts';
import { WORKBOOK_WORDLESS } from './xlsx.ts';

/** Parts that sheets depend on come before them. */
const ORDER = [
  /^xl\/workbook\.bin$/,
  /^xl\/styles\.bin$/,
  /^xl\/sharedstrings\.bin$/,
  /^xl\/(?:worksheets|chartsheets|dialogsheets|macrosheets)\/[^/]+\.bin$/,
  /^xl\/(?:comments|threadedcomments)/,
  /^xl\/drawings\//,
];

const READ =
  /^xl\/(?:workbook|styles|sharedstrings|comments\d*|(?:worksheets|chartsheets|dialogsheets|macrosheets|pivotcache)\/[^/]+|externallinks\/[^/]+)\.bin$/;

/** Records with text or its formatting ([MS-XLSB] 2.3.2). */
const RECORD = {
  row: 0,
  cellRk: 2,
  cellError: 3,
  cellBoolean: 4,
  cellReal: 5,
  cellText: 6,
  cellShared: 7,
  formulaText: 8,
  formulaNumber: 9,
  formulaBoolean: 10,
  formulaError: 11,
  sharedString: 19,
  cachedText: 24,
  name: 39,
  format: 44,
  style: 47,
  cellRichText: 62,
  validation: 64,
  workbook: 153,
  sheet: 156,
  externalBook: 360,
  externalReal: 368,
  externalText: 371,
  headerFooter: 479,
  link: 494,
  externalName: 577,
  ddeText: 582,
  beginCellStyles: 617,
  endCellStyles: 618,
  commentAuthor: 632,
  commentText: 637,
} as const;

const BUILT_IN_NAME = 0x20;
const RANGE_BYTES = 16;

/** The type of a DDE link. The path of another workbook is in the relationships. */
const IS_DDE = 1;

type Workbook = {
  /** The DDE source of the external link that is being read. Null if it links to a workbook. */
  dde: { service: string; topic: string } | null;
  date1904: boolean;
  styles: NumberStyles;
  inCellStyles: boolean;
  strings: SharedStrings;
};

const SHEET_NAMES = /^xl\/workbook\.bin$/;

/** Binary workbooks: the same content as XML workbooks. Some of their parts are XML. */
export const xlsb: Extractor = {
  format: 'xlsb',
  version: 3,
  claims: (file) => zipKind(file.bytes) === 'xlsb',
  extract: (file, context) =>
    extractOoxml('xlsb', file, context, (text) => {
      const workbook: Workbook = {
        dde: null,
        date1904: false,
        styles: new NumberStyles(),
        inCellStyles: false,
        strings: new SharedStrings(context.maxCharacters),
      };
      const reader: PartReader = (chunks) =>
        readRecords(
          chunks,
          (type, fields) => readRecord(type, fields, text, workbook),
          () => text.full,
        );
      return {
        order: ORDER,
        handlerFor: (part) => (WORKBOOK_WORDLESS.test(part) ? null : drawingText(text)),
        readerFor: (part) => (READ.test(part) ? reader : null),
        besides: SHEET_NAMES,
      };
    }),
};

function readRecord(type: number, fields: RecordFields, text: BoundedText, workbook: Workbook): void {
  switch (type) {
    case RECORD.row:
      text.separate('\n');
      return;
    case RECORD.sharedString:
      if (workbook.strings.full) return;
      workbook.strings.write(fields.richText());
      workbook.strings.end();
      return;
    case RECORD.format:
      workbook.styles.define(fields.short(), fields.text());
      return;
    case RECORD.beginCellStyles:
    case RECORD.endCellStyles:
      workbook.inCellStyles = type === RECORD.beginCellStyles;
      return;
    case RECORD.style:
      fields.skip(2);
      if (workbook.inCellStyles) workbook.styles.addStyle(fields.short());
      return;
    case RECORD.workbook:
      workbook.date1904 = (fields.word() & 1) !== 0;
      return;
    default:
      if (!readCell(type, fields, text, workbook) && !readExternal(type, fields, text, workbook))
        readText(type, fields, text);
  }
}

/** A cell consists of column, style (three bytes), a flag and its value. */
function readCell(type: number, fields: RecordFields, text: BoundedText, workbook: Workbook): boolean {
  const isCell = (type >= RECORD.cellRk && type <= RECORD.formulaError) || type === RECORD.cellRichText;
  if (!isCell) return false;
  fields.skip(4);
  const style = workbook.styles.at(fields.word() & 0xff_ffff);
  const number = (value: number) => shownNumber(value, style, workbook.date1904);
  switch (type) {
    case RECORD.cellRk:
      text.write(number(rkNumber(fields.word())));
      break;
    case RECORD.cellReal:
    case RECORD.formulaNumber:
      text.write(number(fields.double()));
      break;
    case RECORD.cellBoolean:
    case RECORD.formulaBoolean:
      text.write(booleanText(fields.byte()));
      break;
    case RECORD.cellError:
    case RECORD.formulaError:
      text.write(errorText(fields.byte()));
      break;
    case RECORD.cellShared:
      text.write(workbook.strings.at(fields.word()));
      break;
    case RECORD.cellRichText:
      text.write(fields.richText());
      break;
    default:
      text.write(fields.text());
  }
  if (type >= RECORD.formulaText && type <= RECORD.formulaError) {
    for (const address of formulaAddresses(fields.rest(), 2)) text.write(` ${address}`);
  }
  text.separate('\t');
  return true;
}

/** DDE links and cached values of external sources. */
function readExternal(type: number, fields: RecordFields, text: BoundedText, workbook: Workbook): boolean {
  switch (type) {
    case RECORD.externalBook:
      workbook.dde = fields.short() === IS_DDE ? { service: fields.text(), topic: fields.text() } : null;
      if (workbook.dde !== null) text.line(ddeText(workbook.dde.service, workbook.dde.topic, ''));
      return true;
    case RECORD.externalName:
      if (workbook.dde !== null) text.line(ddeText(workbook.dde.service, workbook.dde.topic, fields.text()));
      return true;
    case RECORD.externalReal:
      fields.skip(4);
      text.write(String(fields.double()));
      text.separate('\t');
      return true;
    case RECORD.externalText:
      fields.skip(4);
      text.write(fields.text());
      text.separate('\t');
      return true;
    case RECORD.ddeText:
      text.write(fields.text());
      text.separate('\t');
      return true;
    default:
      return false;
  }
}

function readText(type: number, fields: RecordFields, text: BoundedText): void {
  switch (type) {
    case RECORD.sheet:
      fields.skip(8);
      fields.text();
      text.line(fields.text());
      return;
    case RECORD.name: {
      const flags = fields.word();
      fields.skip(5);
      if ((flags & BUILT_IN_NAME) === 0) text.line(fields.text());
      return;
    }
    case RECORD.headerFooter:
      fields.skip(2);
      for (let index = 0; index < 6; index++) text.line(headerText(fields.text()));
      return;
    case RECORD.link:
      fields.skip(RANGE_BYTES);
      fields.text();
      for (let index = 0; index < 3; index++) text.line(fields.text());
      return;
    case RECORD.validation:
      fields.skip(4);
      fields.skip(fields.word() * RANGE_BYTES);
      for (let index = 0; index < 4; index++) text.line(fields.text());
      return;
    case RECORD.commentText:
      text.line(fields.richText());
      return;
    case RECORD.commentAuthor:
    case RECORD.cachedText:
      text.line(fields.text());
  }
}
