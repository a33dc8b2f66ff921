import type { BoundedText } from '../bounded-text.ts';
import { ddeText } from '../office/dde-link.ts';
import { RECORD } from './xls-record-types.ts';
import type { XlsDialect, XlsFields } from './xls-records.ts';

/** A larger length marks a link without a target. */
const MAX_SOURCE_CHARACTERS = 255;
/** Types of cached values. All take eight bytes except texts ([MS-XLS] 2.5.238). */
const NUMBER = 1;
const TEXT = 2;

/** The first character of an encoded path ([MS-XLS] 2.5.277). The following characters stand for parts of the path. */
const ENCODED = '\x01';
const DRIVE = '\x01';
const SAME_VOLUME = '\x02';
const DOWN = '\x03';
const UP = '\x04';
const LONG_VOLUME = '\x05';

/** The target of a link: another file, or a DDE source. */
type Source = { path: string } | { service: string; topic: string };

/** Links of a workbook to other workbooks and DDE sources, with their cached values. */
export class XlsExternalLinks {
  readonly #text: BoundedText;
  /** The source to which the next name records belong. */
  #source: Source | null = null;

  constructor(text: BoundedText) {
    this.#text = text;
  }

  /** Whether the record belongs to a link. */
  read(type: number, fields: XlsFields, dialect: XlsDialect): boolean {
    switch (type) {
      case RECORD.externalBook:
        fields.skip(2);
        this.#readSource(fields.short(), fields);
        return true;
      case RECORD.externalSheet:
        if (dialect.version < 8) this.#readSource(fields.byte(), fields);
        return true;
      case RECORD.externalName:
        this.#readItem(fields);
        return true;
      case RECORD.externalCells:
        this.#readCells(fields, dialect);
        return true;
      default:
        return false;
    }
  }

  #readSource(length: number, fields: XlsFields): void {
    const source = length > MAX_SOURCE_CHARACTERS ? null : sourceOf(fields.textOf(length));
    this.#source = source;
    if (source === null) return;
    this.#text.line('path' in source ? source.path : ddeText(source.service, source.topic, ''));
  }

  #readItem(fields: XlsFields): void {
    fields.skip(6);
    if (this.#source === null || 'path' in this.#source) return;
    this.#text.line(ddeText(this.#source.service, this.#source.topic, fields.shortText()));
  }

  /** Cells of one row, each with its type and value. */
  #readCells(fields: XlsFields, { version }: XlsDialect): void {
    const last = fields.byte();
    const first = fields.byte();
    fields.skip(2);
    this.#text.separate('\n');
    for (let left = last - first; left >= 0 && !fields.ended; left--) {
      const kind = fields.byte();
      if (kind === TEXT) this.#text.write(version < 8 ? fields.shortText() : fields.text());
      else if (kind === NUMBER) this.#text.write(String(fields.double()));
      else fields.skip(8);
      this.#text.separate('\t');
    }
    this.#text.separate('\n');
  }
}

/** Returns null for links within the workbook and to functions. */
function sourceOf(encoded: string): Source | null {
  if (encoded.startsWith(ENCODED)) return { path: decodedPath(encoded.slice(1)) };
  const [service = '', topic] = encoded.split(DOWN, 2);
  if (topic !== undefined) return service === '' ? null : { service, topic };
  // A name alone is a file in the same folder. A sign alone is this workbook.
  return encoded.length > 1 && encoded >= ' ' ? { path: encoded } : null;
}

function decodedPath(path: string): string {
  let decoded = '';
  for (let at = 0; at < path.length; at++) {
    const sign = path.charAt(at);
    if (sign === DRIVE) {
      const drive = path.charAt(++at);
      decoded += drive === '@' ? '\\\\' : `${drive}:\\`;
    } else if (sign === SAME_VOLUME || sign === DOWN) decoded += '\\';
    else if (sign === UP) decoded += '..\\';
    // A length and a literal path follow, such as a web address.
    else if (sign === LONG_VOLUME) at++;
    // Other signs stand for folders of the application.
    else if (sign >= ' ') decoded += sign;
  }
  return decoded;
}
