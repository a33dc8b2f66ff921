import { words } from '../../kernel/words.ts';
import { type Table, tableReader } from '../engine/columns.ts';
import { CAPITALIZED_WORDS, ORGANIZATION_WORDS, PARTICLES, THINGS } from './cues.ts';
import { NAME_FIELDS, PERSON_COLUMNS, PLAIN_NAME_FIELDS } from './field-labels.ts';
import { occursAt } from './phrases.ts';
import { merged, type Span } from './spans.ts';
import { type Slice, type Token, tokenAt } from './tokens.ts';
import { endsOneOf, isOneOf, wordOf } from './word.ts';
import type { Phrases } from './word-lists.ts';

const FIELDS = NAME_FIELDS.bit | PLAIN_NAME_FIELDS.bit | PERSON_COLUMNS.bit;
const MAX_WORDS = 6;
/** A full stop after a longer word ends a sentence. */
const LONGEST_ABBREVIATION = 3;
/** What separates a label from its value: a remark in brackets and a colon or equals sign. */
const TO_VALUE =
  /^(?:[ \t\u00a0]{0,8}(?:\([^()\n]{1,24}\)[ \t]{0,4})?[:：=][ \t\u3000"']{0,12}|\u3000{1,4}|\t)$/;
const WITHIN_VALUE = /^(?: |-|, |\. | ?[(・·] ?)$/;
/** What precedes and follows a header cell. */
const CELL_START = /(?:^|[\n\t;|,])[ "]{0,4}$/;
const CELL_END = /^[ "]{0,4}(?:[\r\n\t;|,]|$)/;
const CELL = /^\s{0,8}"?\s{0,4}(\p{L}[\p{L}\p{M} .,'’-]{0,60}?)\s{0,8}"?\s{0,8}$/u;
const WITHOUT_CASE = /^\p{Lo}/u;

/**
 * Finds the values of form fields and table columns that contain only names of persons. There a name needs no other
 * sign: `SURNAME: BAKER`, `姓名：王小明`.
 */
export function findFields(slice: Slice): readonly Span[] {
  if ((slice.ends & FIELDS) === 0) return [];
  const labels = labelsIn(slice, NAME_FIELDS);
  if (
    labels.length === 0 &&
    !((hasColumn(slice, PERSON_COLUMNS) || hasColumn(slice, PLAIN_NAME_FIELDS)) && hasLines(slice))
  )
    return [];
  // `Name` is a surname if there is also a field such as `Vorname`. Otherwise it can be the name of anything.
  const all = labels.length === 0 ? [] : [...labels, ...labelsIn(slice, PLAIN_NAME_FIELDS)];
  const values = all.flatMap((at) => valueAfter(slice, at));
  return merged([...values, ...namesInTables(slice, labels.length > 0)]);
}

/** Indexes of the last words of labels. What follows a label is not a single space. */
function labelsIn(slice: Slice, known: Phrases): number[] {
  const found: number[] = [];
  for (let at = 0; at < slice.tokens.length; at++) {
    const { word } = tokenAt(slice, at);
    if (!endsOneOf(word, known) || tokenAt(slice, at + 1).gap === ' ') continue;
    const labels = known.byLast.get(word.folded) ?? [];
    if (labels.some((label) => isLabel(slice, at + 1 - label.length, label))) found.push(at);
  }
  return found;
}

/** Whether the label begins at word `at`, at the start of a line or field. */
function isLabel(slice: Slice, at: number, label: readonly string[]): boolean {
  const { opens, gap } = tokenAt(slice, at);
  return occursAt(slice, at, label) && (opens || /[\t,(]| {2}/.test(gap));
}

function valueAfter(slice: Slice, label: number): Span[] {
  const { text, tokens, caseless } = slice;
  const first = tokenAt(slice, label + 1);
  if (!TO_VALUE.test(first.gap)) return [];
  let to = label + 1;
  for (let at = label + 1; at <= label + MAX_WORDS; at++) {
    const token = tokenAt(slice, at);
    if (token.shape === 'code' || isWithoutCase(text, token) !== isWithoutCase(text, first)) break;
    if (at > label + 1 && !WITHIN_VALUE.test(token.gap)) break;
    if (token.gap === '. ' && !mayBeAbbreviation(slice, at - 1)) break;
    const isWritten = token.shape !== 'lower' || caseless || isWithoutCase(text, token);
    if (!isWritten && !isOneOf(token.word, PARTICLES)) break;
    if (isWritten) to = at + 1;
  }
  const value = tokens.slice(label + 1, to);
  const end = value.at(-1)?.end;
  // If a colon follows, this is the next label.
  if (end === undefined || /^\s{0,4}[:：=]/.test(text.slice(end, end + 5)) || !mayBeName(value)) return [];
  return [{ start: first.start, end }];
}

const isWithoutCase = (text: string, { start }: Token): boolean =>
  WITHOUT_CASE.test(text.slice(start, start + 1));

/** Scripts without capitals have no abbreviations with a full stop. */
const mayBeAbbreviation = (slice: Slice, at: number): boolean =>
  tokenAt(slice, at).word.length <= LONGEST_ABBREVIATION && !isWithoutCase(slice.text, tokenAt(slice, at));

const mayBeName = ([first, ...others]: readonly Token[]): boolean =>
  first !== undefined &&
  !isOneOf(first.word, CAPITALIZED_WORDS) &&
  [first, ...others].some(({ word }) => !word.isOrdinary || word.isPartOfNames);

const hasLines = ({ text, tokens }: Slice): boolean =>
  text.slice(tokens[0]?.start, tokens.at(-1)?.end).includes('\n');

/** Whether a label fills a whole cell. */
function hasColumn({ text, tokens }: Slice, known: Phrases): boolean {
  return tokens.some(({ word, start, end }) => {
    if (!endsOneOf(word, known) || !known.all.has(word.folded)) return false;
    return (
      CELL_END.test(text.slice(end, end + 8)) && CELL_START.test(text.slice(Math.max(0, start - 5), start))
    );
  });
}

function namesInTables(slice: Slice, hasNameFields: boolean): Span[] {
  if (!hasLines(slice)) return [];
  const { text, tokens } = slice;
  const from = tokens[0]?.start ?? 0;
  const to = tokens.at(-1)?.end ?? 0;
  const names = [...tableReader(text).tablesIn(from, to)].flatMap((table) =>
    namesInColumns(text, table, hasNameFields, from, to),
  );
  // The lines at the edges of a slice extend beyond what was read.
  return names.filter(({ start, end }) => start >= from && end <= to);
}

/** The same in the table that the whole text is of. */
export function namesInKnownTable(text: string, table: Table): readonly Span[] {
  const hasNameFields = table.header.some((name) => NAME_FIELDS.all.has(words(name).join(' ')));
  return merged(namesInColumns(text, table, hasNameFields, table.start, table.end));
}

type Judge = (value: string) => boolean;

function judgeOf(header: string, hasNameFields: boolean): Judge | null {
  if (NAME_FIELDS.all.has(header)) return isWrittenAsName;
  if (PERSON_COLUMNS.all.has(header)) return mayBeFullName;
  if (!PLAIN_NAME_FIELDS.all.has(header)) return null;
  return hasNameFields ? isWrittenAsName : isFullName;
}

const isWrittenAsName: Judge = (value) => words(value).length <= MAX_WORDS;

/** A given name, or at least two words that can be a person. */
const mayBeFullName: Judge = (value) => {
  const [first, ...others] = words(value).map(wordOf);
  const last = others.at(-1);
  if (first === undefined) return false;
  if (last === undefined) return first.kind === 'given' && !first.isAlsoAWord;
  if (others.length >= MAX_WORDS || !/^\p{Lu}/u.test(value)) return false;
  if (isOneOf(last, THINGS | ORGANIZATION_WORDS)) return false;
  return ![first, ...others].some((part) => part.isOrdinary && !part.isPartOfNames);
};

/** Like `mayBeFullName`, with at least one known name, because a column `Name` can contain anything. */
const isFullName: Judge = (value) => {
  const parts = words(value).map(wordOf);
  return mayBeFullName(value) && (parts[0]?.kind === 'given' || parts.some(({ isSurname }) => isSurname));
};

function namesInColumns(
  text: string,
  { header, remarks, cellsIn }: Table,
  hasNameFields: boolean,
  from: number,
  to: number,
): Span[] {
  const judge = (said = '') => judgeOf(words(said).join(' '), hasNameFields);
  const judges = header.map((name, column) => judge(name) ?? judge(remarks[column]));
  if (judges.every((each) => each === null)) return [];
  const spans: Span[] = [];
  for (const { column, start, end } of cellsIn(from, to)) {
    const isName = judges[column] ?? null;
    if (isName === null) continue;
    const cell = text.slice(start, end);
    const value = CELL.exec(cell)?.[1];
    if (value === undefined || !isName(value)) continue;
    const valueStart = start + cell.indexOf(value);
    spans.push({ start: valueStart, end: valueStart + value.length });
  }
  return spans;
}
