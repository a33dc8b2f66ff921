import type { BoundedText } from '../bounded-text.ts';
import type { MarkupHandler } from '../markup/xml-reader.ts';
import type { Tag } from '../markup/xml-tag.ts';
import { ddeText } from '../office/dde-link.ts';
import { FractionBars } from '../text/fraction-bars.ts';

/**
 * Reads the parts of an OpenDocument file by local name (OASIS OpenDocument 1.3, part 3): paragraphs of all kinds of
 * documents, headers and footers, notes, comments, deleted text and properties.
 */
const LINES = new Set(
  'p h list-item annotation note-body title desc creator subject description initial-creator printed-by keyword user-defined index-title change-info frame custom-shape page line-break binding header-decl footer-decl date-time-decl'.split(
    ' ',
  ),
);
/** A row also ends its last cell. */
const ROW = 'table-row';
const CELLS = new Set(['table-cell', 'covered-table-cell']);

/** Elements without user text: formats, layouts, script bindings, encoded pictures, counts and dates. */
const SKIPPED = new Set(
  'automatic-styles styles font-face-decls settings binary-data generator creation-date date date-string editing-cycles editing-duration print-date note-citation list-level-style-number event-listeners'.split(
    ' ',
  ),
);

/** Attributes with text. The `name` of a table is the name of a sheet. */
const ATTRIBUTES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['table', new Set(['name'])],
  ['user-defined', new Set(['name'])],
  ['variable-set', new Set(['description'])],
  ['template', new Set(['title'])],
  ['content-validation', new Set(['title'])],
  ['table-source', new Set(['href'])],
  ['database-source-sql', new Set(['sql-statement'])],
  ['placeholder', new Set(['description'])],
]);
/** Attributes of form controls. */
const FORM_ATTRIBUTES = new Set(['label', 'value', 'current-value', 'title']);
/** The most spaces that one element can stand for. */
const MAX_SPACES = 100;

/**
 * Numbers with this many digits can be account or card numbers. `MAX_SHOWN` characters of the cell are compared with
 * the stored value.
 */
const LONG_NUMBER = /^-?\d{9,20}$/;
const MAX_SHOWN_CHARACTERS = 100;

const DDE_SOURCES = new Set(['dde-source', 'dde-connection-decl']);
const DDE_PARTS = ['application', 'topic', 'item'] as const;

const isTarget = (href: string | undefined): href is string => href !== undefined && !/^(?:#|$)/.test(href);

export function odfText(text: BoundedText): MarkupHandler {
  const path: string[] = [];
  /** The depth from which nothing is written, until that element closes. */
  let skippedFrom = Number.POSITIVE_INFINITY;
  /** Link targets and phonetic text. Written after the paragraph, so that they do not separate its words. */
  let after: string[] = [];
  const bars = new FractionBars();
  let paragraphs = 0;
  /** The stored number of the open cell, and what the cell displays, for example `4.11E+15` or `###`. */
  let cell = { value: '', shown: '' };
  return {
    open(name, tag) {
      path.push(name);
      if (path.length >= skippedFrom) return;
      if (SKIPPED.has(name) || tag.attribute('placeholder') === 'true') {
        skippedFrom = path.length;
        return;
      }
      bars.open(name, path.length);
      if (name === 'p' || name === 'h') paragraphs++;
      if (CELLS.has(name)) cell = { value: tag.attribute('value') ?? '', shown: '' };
      if (name === 'a' && isTarget(tag.attribute('href'))) after.push(tag.attribute('href') ?? '');
      if (name === 's') text.write(' '.repeat(Math.min(MAX_SPACES, Number(tag.attribute('c')) || 1)));
      if (name === 'tab') text.write('\t');
      if (name === 'note-body' || name === 'annotation') text.separate('\n');
      writeAttributes(name, tag, text);
    },
    text(data) {
      if (path.length >= skippedFrom) return;
      if (path.at(-1) === 'ruby-text') after.push(data);
      else if (paragraphs > 0) {
        writeCollapsed(text, data);
        if (cell.shown.length < MAX_SHOWN_CHARACTERS) cell.shown += data;
      } else if (data.trim() !== '') text.write(data.trim());
    },
    close(name) {
      if (path.length < skippedFrom) {
        if (name === 'p' || name === 'h') {
          paragraphs--;
          for (const one of after) text.line(one);
          after = [];
        }
        if (bars.close(path.length)) text.write('/');
        if (name === ROW) text.separate('\n');
        else if (LINES.has(name)) text.separateWeakly('\n');
        else if (CELLS.has(name)) {
          if (LONG_NUMBER.test(cell.value) && !digits(cell.shown).includes(digits(cell.value)))
            text.write(cell.value);
          text.separate('\t');
        }
      }
      if (path.length === skippedFrom) skippedFrom = Number.POSITIVE_INFINITY;
      path.pop();
    },
  };
}

const digits = (text: string) => text.replace(/\D/g, '');

function writeAttributes(name: string, tag: Tag, text: BoundedText): void {
  if (DDE_SOURCES.has(name)) {
    const [application, topic, item] = DDE_PARTS.map((part) => tag.attribute(`dde-${part}`) ?? '');
    text.line(ddeText(application ?? '', topic ?? '', item ?? ''));
  }
  const wanted = tag.name.startsWith('form:') ? FORM_ATTRIBUTES : ATTRIBUTES.get(name);
  if (wanted === undefined) return;
  const before = text.contentLength;
  tag.forEach(wanted, (value) => text.line(value));
  if (name === 'table') text.discountTo(before);
}

/** White space collapses to one space. Further spaces are elements. */
function writeCollapsed(text: BoundedText, data: string): void {
  const words = data.replace(/\s+/g, ' ');
  if (words.startsWith(' ')) text.separateWeakly(' ');
  text.write(words.trim());
  if (words.endsWith(' ')) text.separateWeakly(' ');
}
