import type { BoundedText, Shortfall } from '../bounded-text.ts';
import { formulaAddresses } from '../office/spreadsheet-formula.ts';
import { headerText } from '../office/spreadsheet-header.ts';
import { NumberStyles, shownNumber } from '../office/spreadsheet-number.ts';
import { SharedStrings } from '../office/spreadsheet-strings.ts';
import { booleanText, errorText, rkNumber } from '../office/spreadsheet-value.ts';
import { writeDrawingTexts } from './office-art.ts';
import { XlsExternalLinks } from './xls-external-link.ts';
import { linkTexts } from './xls-link.ts';
import { RECORD } from './xls-record-types.ts';
import { type XlsDialect, XlsFields, type XlsRecord, xlsRecords } from './xls-records.ts';

const BUILT_IN_NAME = 0x20;

const WESTERN = 1252;
const MACINTOSH = 10000;

/**
 * Appends the texts of a workbook stream in the order of its records. Returns `damaged` if the last record is not an
 * end record.
 * Adds the packages of its drawings to `packages`, for `writeDiagrams`, and parts of its pictures to `pictures`, for
 * `writeMetafiles`.
 */
export function writeWorkbook(
  stream: Buffer,
  text: BoundedText,
  packages: Buffer[],
  pictures: Buffer[],
): Shortfall | null {
  const walk = new WorkbookWalk(text, packages);
  let last = -1;
  for (const record of xlsRecords(stream)) {
    if (record.type === RECORD.pictures) pictures.push(...record.parts);
    else walk.read(record);
    // Zeros can follow the last end record.
    if (record.type !== 0) last = record.type;
    if (text.full) return null;
  }
  return last === RECORD.end ? null : 'damaged';
}

class WorkbookWalk {
  readonly #text: BoundedText;
  readonly #packages: Buffer[];
  readonly #styles = new NumberStyles();
  readonly #strings: SharedStrings;
  readonly #links: XlsExternalLinks;
  readonly #dialect: XlsDialect = { version: 8, codePage: WESTERN };
  #date1904 = false;
  #row = -1;
  /** Link targets in the formula of the current cell. Its result can be in the next record. */
  #addresses: readonly string[] = [];
  /** The number of formats so far. Old versions refer to formats by index. */
  #formats = 0;

  constructor(text: BoundedText, packages: Buffer[]) {
    this.#text = text;
    this.#packages = packages;
    this.#strings = new SharedStrings(text.room);
    this.#links = new XlsExternalLinks(text);
  }

  read(record: XlsRecord): void {
    const fields = new XlsFields(record, this.#dialect);
    const isRead =
      this.#readCell(record.type, fields) ||
      this.#readSetting(record.type, fields) ||
      this.#links.read(record.type, fields, this.#dialect);
    if (!isRead) this.#readText(record, fields);
  }

  #readSetting(type: number, fields: XlsFields): boolean {
    switch (type) {
      case RECORD.begin:
      case RECORD.begin4:
      case RECORD.begin3:
      case RECORD.begin2:
        this.#begin(type, fields.short());
        return true;
      case RECORD.codePage:
        this.#dialect.codePage = codePageOf(fields.short());
        return true;
      case RECORD.date1904:
        this.#date1904 = fields.short() === 1;
        return true;
      case RECORD.format:
      case RECORD.format2:
        this.#readFormat(type, fields);
        return true;
      case RECORD.style:
        fields.skip(2);
        this.#styles.addStyle(fields.short());
        return true;
      case RECORD.style4:
      case RECORD.style3:
        fields.skip(1);
        this.#styles.addStyle(fields.byte());
        return true;
      case RECORD.style2:
        fields.skip(2);
        this.#styles.addStyle(fields.byte() & 0x3f);
        return true;
      case RECORD.sharedStrings:
        this.#readSharedStrings(fields);
        return true;
      default:
        return false;
    }
  }

  #begin(type: number, version: number): void {
    const old = { [RECORD.begin2]: 2, [RECORD.begin3]: 3, [RECORD.begin4]: 4 }[type];
    this.#dialect.version = old ?? (version >= 0x600 ? 8 : 5);
    this.#row = -1;
    this.#text.separate('\n');
  }

  #readFormat(type: number, fields: XlsFields): void {
    const { version } = this.#dialect;
    const id = type === RECORD.format ? fields.short() : 0;
    const code = version >= 8 ? fields.text() : fields.shortText();
    this.#styles.define(version >= 5 ? id : this.#formats++, code);
  }

  #readSharedStrings(fields: XlsFields): void {
    fields.skip(4);
    const count = fields.word();
    for (let index = 0; index < count && !fields.ended && !this.#strings.full; index++) {
      this.#strings.write(fields.text());
      this.#strings.end();
    }
  }

  /** A cell consists of row, column, style and value. */
  #readCell(type: number, fields: XlsFields): boolean {
    switch (type) {
      case RECORD.sharedLabel:
        this.#startCell(fields);
        this.#endCell(this.#strings.at(fields.word()));
        return true;
      case RECORD.label:
      case RECORD.label2:
      case RECORD.richLabel:
        this.#startCell(fields);
        this.#endCell(this.#dialect.version === 2 ? fields.shortText() : fields.text());
        return true;
      case RECORD.number:
      case RECORD.number2:
        this.#number(this.#startCell(fields), fields.double());
        return true;
      case RECORD.integer2:
        this.#number(this.#startCell(fields), fields.short());
        return true;
      case RECORD.rk:
        this.#number(this.#startCell(fields), rkNumber(fields.word()));
        return true;
      case RECORD.multipleRk:
        this.#startRow(fields.short());
        fields.skip(2);
        // The last column number follows the cells. It has only two bytes.
        for (let style = fields.short(); !fields.ended; style = fields.short()) {
          this.#number(style, rkNumber(fields.word()));
        }
        return true;
      case RECORD.boolean:
      case RECORD.boolean2:
        this.#startCell(fields);
        this.#endCell(booleanOrError(fields.byte(), fields.byte()));
        return true;
      case RECORD.formula:
      case RECORD.formula3:
      case RECORD.formula4:
        this.#readResult(this.#startCell(fields), fields);
        return true;
      case RECORD.string:
      case RECORD.string2:
        this.#endCell(this.#dialect.version === 2 ? fields.shortText() : fields.text());
        return true;
      default:
        return false;
    }
  }

  /** The result of a formula: a number, or another value encoded in place of a number. */
  #readResult(style: number, fields: XlsFields): void {
    const result = fields.bytes(8);
    if (result.length < 8) return;
    this.#addresses = formulaAddresses(fields.rest(), 1);
    if (result.readUInt16LE(6) !== 0xffff) this.#number(style, result.readDoubleLE(0));
    else if (result[0] === 1 || result[0] === 2) {
      this.#endCell(booleanOrError(result.readUInt8(2), result.readUInt8(0) - 1));
    }
  }

  /** The cell's style. */
  #startCell(fields: XlsFields): number {
    this.#startRow(fields.short());
    fields.skip(2);
    if (this.#dialect.version > 2) return fields.short();
    const style = fields.byte() & 0x3f;
    fields.skip(2);
    return style;
  }

  #startRow(row: number): void {
    if (row !== this.#row) this.#text.separate('\n');
    this.#row = row;
  }

  #number(style: number, value: number): void {
    this.#endCell(shownNumber(value, this.#styles.at(style), this.#date1904));
  }

  #endCell(shown: string): void {
    this.#text.write([shown, ...this.#addresses].join(' '));
    this.#addresses = [];
    this.#text.separate('\t');
  }

  #readText({ type, parts }: XlsRecord, fields: XlsFields): void {
    const text = this.#text;
    const isNew = this.#dialect.version >= 8;
    switch (type) {
      case RECORD.sheet:
        fields.skip(6);
        text.besides(fields.shortText());
        return;
      case RECORD.name:
        this.#readName(fields);
        return;
      case RECORD.header:
      case RECORD.footer:
        text.line(headerText(isNew ? fields.text() : fields.shortText()));
        return;
      case RECORD.headers:
        this.#readHeaders(fields);
        return;
      case RECORD.note:
        fields.skip(isNew ? 8 : 4);
        text.line(fields.text());
        return;
      case RECORD.textBox:
        this.#readTextBox(fields);
        return;
      case RECORD.link:
        for (const part of linkTexts(parts[0] ?? Buffer.alloc(0))) text.line(part);
        return;
      case RECORD.tooltip:
        fields.skip(10);
        text.line(fields.bytes(512).toString('utf16le'));
        return;
      case RECORD.validation:
        fields.skip(4);
        for (let index = 0; index < 4; index++) text.line(fields.text());
        return;
      case RECORD.storedText:
        text.line(fields.text());
        return;
      case RECORD.seriesText:
        fields.skip(2);
        text.line(fields.shortText());
        return;
      case RECORD.drawing:
        this.#row = -1;
        this.#readDrawing(Buffer.concat(parts));
    }
  }

  #readDrawing(art: Buffer): void {
    writeDrawingTexts(art, 0, art.length, this.#text, this.#packages);
  }

  #readName(fields: XlsFields): void {
    const flags = fields.short();
    fields.skip(1);
    const length = fields.byte();
    fields.skip(10);
    if ((flags & BUILT_IN_NAME) === 0 && this.#dialect.version >= 5) this.#text.line(fields.textOf(length));
  }

  /** Headers of even pages and of the first page. All lengths precede the texts. */
  #readHeaders(fields: XlsFields): void {
    fields.skip(30);
    const lengths = [fields.short(), fields.short(), fields.short(), fields.short()];
    for (const length of lengths) if (length > 0) this.#text.line(headerText(fields.text()));
  }

  /** The text is in the continuation records. */
  #readTextBox(fields: XlsFields): void {
    if (this.#dialect.version < 8) return;
    fields.skip(10);
    const length = fields.short();
    fields.nextPart();
    this.#text.line(fields.textOf(length));
  }
}

const booleanOrError = (value: number, isError: number) =>
  isError === 0 ? booleanText(value) : errorText(value);

/** Two numbers are specific to this format, and one is no valid code page. */
const codePageOf = (stored: number) =>
  stored === 0x8000 ? MACINTOSH : stored === 0x8001 || stored === 367 ? WESTERN : stored;
