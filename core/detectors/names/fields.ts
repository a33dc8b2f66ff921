import { words } from '../../kernel/words.ts';
import { type Table, tableReader } from '../columns.ts';
import { CAPITALIZED_WORDS, isOrganizationWord, PARTICLES, THINGS } from './cues.ts';
import { NAME_FIELDS, PERSON_COLUMNS, PLAIN_NAME_FIELDS } from './field-labels.ts';
import { isAlsoAWord, isOrdinary, isPartOfNames, isSurname, kindOf } from './lexicon.ts';
import type { Phrases } from './phrases.ts';
import { merged, type Span } from './spans.ts';
import type { Slice, Token } from './tokens.ts';

const MOST_WORDS = 6;
/** Between a label and its value, with a remark in brackets at most. */
const TO_VALUE = /^[ \t\u00a0]{0,8}(?:\([^()\n]{1,24}\)[ \t]{0,4})?[:：=][ \t\u3000"']{0,12}$/;
const WITHIN_VALUE = /^(?: |-|, |\. | ?[(・·] ?)$/;
/** What stands before and after a cell of a header. */
const CELL_START = /(?:^|[\n\t;|,])[ "]{0,4}$/;
const CELL_END = /^[ "]{0,4}(?:[\r\n\t;|,]|$)/;
const CELL = /^\s{0,8}"?\s{0,4}(\p{L}[\p{L}\p{M} .,'’-]{0,60}?)\s{0,8}"?\s{0,8}$/u;
const WITHOUT_CASE = /^\p{Lo}/u;

/**
 * What stands in the fields of a form and in the columns of a table that hold nothing but names of people. There a name
 * needs no other sign: `SURNAME: BAKER`, `姓名：王小明`.
 */
export function findFields(slice: Slice): Span[] {
  const labels = labelsIn(slice, NAME_FIELDS);
  if (
    labels.length === 0 &&
    !(hasLines(slice) && (hasColumn(slice, PERSON_COLUMNS) || hasColumn(slice, PLAIN_NAME_FIELDS)))
  )
    return [];
  // `Name` is a surname where `Vorname` stands beside it, and else the name of anything.
  const all = labels.length === 0 ? [] : [...labels, ...labelsIn(slice, PLAIN_NAME_FIELDS)];
  const values = all.flatMap((at) => valueAfter(slice, at));
  return merged([...values, ...namesInTables(slice, labels.length > 0)]);
}

/** The last words of the labels of a list: something other than a space follows them. */
function labelsIn({ tokens, folded }: Slice, known: Phrases): number[] {
  const found: number[] = [];
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at + 1]?.gap === ' ') continue;
    const label = known.byLast.get(folded[at] ?? '')?.find((words) => isLabel(tokens, at, words, folded));
    if (label !== undefined) found.push(at);
  }
  return found;
}

/** The words of a label end with word `at`, and begin a line or a field. */
function isLabel(
  tokens: readonly Token[],
  at: number,
  label: readonly string[],
  folded: readonly string[],
): boolean {
  const from = at + 1 - label.length;
  const first = tokens[from];
  if (first === undefined || label.some((word, i) => folded[from + i] !== word)) return false;
  return first.opens || /[\t,(]| {2}/.test(first.gap);
}

function valueAfter(slice: Slice, label: number): Span[] {
  const { text, tokens, caseless } = slice;
  const first = tokens[label + 1];
  if (first === undefined || !TO_VALUE.test(first.gap)) return [];
  let to = label + 1;
  for (let at = label + 1; at <= label + MOST_WORDS; at++) {
    const token = tokens[at];
    if (token === undefined || token.shape === 'code') break;
    if (at > label + 1 && !WITHIN_VALUE.test(token.gap)) break;
    const isWritten = token.shape !== 'lower' || caseless || WITHOUT_CASE.test(text.slice(token.start));
    if (!isWritten && !PARTICLES.has(token.folded)) break;
    if (isWritten) to = at + 1;
  }
  const value = tokens.slice(label + 1, to);
  const end = value.at(-1)?.end;
  // What follows a colon again is the next label.
  if (end === undefined || /^\s{0,4}[:：=]/.test(text.slice(end, end + 5)) || !mayBeName(value)) return [];
  return [{ start: first.start, end }];
}

const mayBeName = (value: readonly Token[]): boolean =>
  !CAPITALIZED_WORDS.has(value[0]?.folded ?? '') &&
  value.some(({ folded }) => !isOrdinary(folded) || isPartOfNames(folded));

const hasLines = ({ text, tokens }: Slice): boolean =>
  text.slice(tokens[0]?.start, tokens.at(-1)?.end).includes('\n');

/** A label of the list is a cell by itself. */
function hasColumn({ text, tokens, folded }: Slice, known: Phrases): boolean {
  return folded.some((word, at) => {
    const token = tokens[at];
    if (token === undefined || !known.all.has(word)) return false;
    const after = text.slice(token.end, token.end + 8);
    return CELL_END.test(after) && CELL_START.test(text.slice(Math.max(0, token.start - 5), token.start));
  });
}

function namesInTables(slice: Slice, hasNameFields: boolean): Span[] {
  if (!hasLines(slice)) return [];
  const { text, tokens } = slice;
  const from = tokens[0]?.start ?? 0;
  const to = tokens.at(-1)?.end ?? 0;
  const names = [...tableReader(text).tablesIn(from, to)].flatMap((table) => {
    const judges = table.header.map((name) => judgeOf(words(name).join(' '), hasNameFields));
    return judges.every((judge) => judge === null) ? [] : namesInColumns(text, table, judges, from, to);
  });
  // The lines at the edges of a slice reach into what is not read.
  return names.filter(({ start, end }) => start >= from && end <= to);
}

type Judge = (value: string) => boolean;

function judgeOf(header: string, hasNameFields: boolean): Judge | null {
  if (NAME_FIELDS.all.has(header)) return isWrittenAsName;
  if (PERSON_COLUMNS.all.has(header)) return mayBeFullName;
  if (!PLAIN_NAME_FIELDS.all.has(header)) return null;
  return hasNameFields ? isWrittenAsName : isFullName;
}

const isWrittenAsName: Judge = (value) => words(value).length <= MOST_WORDS;

/** Two words or more that may be a person, or a given name. */
const mayBeFullName: Judge = (value) => {
  const parts = words(value);
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return kindOf(first) === 'given' && !isAlsoAWord(first);
  if (parts.length > MOST_WORDS || !/^\p{Lu}/u.test(value)) return false;
  if (THINGS.has(last) || isOrganizationWord(last)) return false;
  return !parts.some((part) => isOrdinary(part) && !isPartOfNames(part));
};

/** As above, and known to be one: a column `Name` may hold anything. */
const isFullName: Judge = (value) => {
  const parts = words(value);
  return mayBeFullName(value) && (kindOf(parts[0] ?? '') === 'given' || parts.some(isSurname));
};

function namesInColumns(
  text: string,
  { start, end, delimiter, header }: Table,
  judges: readonly (Judge | null)[],
  from: number,
  to: number,
): Span[] {
  const spans: Span[] = [];
  const separator = String.fromCharCode(delimiter);
  let lineStart = Math.max(start, text.lastIndexOf('\n', from) + 1);
  while (lineStart < Math.min(end, to)) {
    const newline = text.indexOf('\n', lineStart);
    const lineEnd = newline === -1 ? text.length : newline;
    let cellStart = lineStart;
    const cells = text.slice(lineStart, lineEnd).split(separator);
    for (const [column, cell] of cells.entries()) {
      const value = cells.length === header.length ? CELL.exec(cell)?.[1] : undefined;
      if (value !== undefined && judges[column]?.(value) === true) {
        const valueStart = cellStart + cell.indexOf(value);
        spans.push({ start: valueStart, end: valueStart + value.length });
      }
      cellStart += cell.length + 1;
    }
    lineStart = lineEnd + 1;
  }
  return spans;
}
