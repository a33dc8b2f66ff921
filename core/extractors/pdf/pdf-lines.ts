/**
 * A character as it is painted on a page. Lengths are points, upwards and to the right.
 * @property isGenerated it is not in the file: a space or a line end that the layout suggests
 * @property isHyphen it ends a line within a word
 * @property x the origin, from which the next character is placed
 */
export type Glyph = {
  text: string;
  isGenerated: boolean;
  isHyphen: boolean;
  x: number;
  y: number;
  left: number;
  right: number;
  height: number;
};

/** A line has the same origin up to this share of the height of its letters. */
const LEVEL = 0.3;
/** A space of the layout is one if it is at least this share of the spaces that the line has itself. */
const LEAST_SHARE_OF_SPACE = 0.5;
/** So many single letters in a row are a word whose letters are set apart. */
const LEAST_LETTERS = 4;
/** Letters in the cells of a form have the same pitch, of less than so many heights. */
const EVEN_PITCH = 1.1;
const MOST_PITCH = 1.8;
/** Between letters that are set apart, a gap of less than so many heights is none between words. */
const MOST_GAP = 0.6;
const WORD_GAP = 2;

const isSpace = ({ text }: Glyph) => text.trim() === '';

/** The distance between two letters of a line, in either direction. */
const gapOf = (a: Glyph, b: Glyph) => Math.max(b.left - a.right, a.left - b.right);

const isLevel = (line: readonly Glyph[], first: Glyph) =>
  line.every(({ y }) => Math.abs(y - first.y) < LEVEL * first.height);

/** The text of a line without the spaces that only the places of its letters suggest. */
function lineText(line: readonly Glyph[]): string {
  const letters = inLogicalOrder(line.filter((glyph) => !glyph.isGenerated || !isSpace(glyph)));
  const [first] = letters;
  if (first === undefined) return '';
  const spaced = new Set<Glyph>();
  for (const [at, glyph] of line.entries()) {
    const next = line[at + 1];
    if (glyph.isGenerated && isSpace(glyph) && next !== undefined) spaced.add(next);
  }
  if (spaced.size > 0 && isLevel(letters, first)) closeGaps(letters, spaced);
  return letters.map((glyph) => (spaced.has(glyph) ? ` ${glyph.text}` : glyph.text)).join('');
}

/** @param spaced the letters after a space of the layout. Those after a gap within a word are removed. */
function closeGaps(letters: readonly Glyph[], spaced: Set<Glyph>): void {
  const own = letters.flatMap((glyph, at) => {
    const [before, after] = [letters[at - 1], letters[at + 1]];
    return isSpace(glyph) && before && after && !isSpace(before) && !isSpace(after)
      ? [gapOf(before, after)]
      : [];
  });
  const space = own.toSorted((a, b) => a - b)[Math.floor(own.length / 2)];
  let run: Glyph[] = [];
  for (const [at, glyph] of letters.entries()) {
    const before = letters[at - 1];
    if (before === undefined || !spaced.has(glyph)) {
      closeLetters(run, spaced);
      run = [glyph];
      continue;
    }
    if (space !== undefined && gapOf(before, glyph) < space * LEAST_SHARE_OF_SPACE) spaced.delete(glyph);
    run.push(glyph);
  }
  closeLetters(run, spaced);
}

/** @param run letters with a space of the layout before each, except the first */
function closeLetters(run: readonly Glyph[], spaced: Set<Glyph>): void {
  const [first] = run;
  if (first === undefined || run.length < LEAST_LETTERS) return;
  const pairs = run.slice(1).map((glyph, at) => ({ glyph, before: run[at] ?? glyph }));
  const pitches = pairs.map(({ glyph, before }) => Math.abs(glyph.x - before.x));
  const gaps = pairs.map(({ glyph, before }) => gapOf(before, glyph));
  const least = Math.min(...pitches);
  const isEven = Math.max(...pitches) <= least * EVEN_PITCH && least < first.height * MOST_PITCH;
  const most = Math.min(Math.min(...gaps) * WORD_GAP, first.height * MOST_GAP);
  for (const [at, { glyph }] of pairs.entries()) {
    if (isEven || (gaps[at] ?? 0) < most) spaced.delete(glyph);
  }
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * A ligature such as lam-alef is one shape of two characters. In a line from right to left its characters were turned
 * around with the line.
 */
function inLogicalOrder(letters: Glyph[]): Glyph[] {
  const ordered: Glyph[] = [];
  for (let at = 0; at < letters.length; ) {
    const first = letters[at] as Glyph;
    let end = at + 1;
    while (RIGHT_TO_LEFT.test(first.text) && isSameShape(first, letters[end])) end++;
    ordered.push(...letters.slice(at, end).reverse());
    at = end;
  }
  return ordered;
}

const isSameShape = (a: Glyph, b: Glyph | undefined) =>
  b !== undefined && RIGHT_TO_LEFT.test(b.text) && a.x === b.x && a.left === b.left && a.right === b.right;

/**
 * A line of text with those of its letters that the next line depends on.
 * @property wordEnd the last letter of the first word
 */
export type Line = { text: string; length: number; first: Glyph; wordEnd: Glyph; last: Glyph };

/**
 * Columns of a script that runs from top to bottom, which PDFium takes for one line. They are read from right to left.
 * Text in lines stays as it is.
 */
export function columnsOf(glyphs: readonly Glyph[]): (readonly Glyph[])[] {
  const columns: Glyph[][] = [];
  let before: Glyph | undefined;
  for (const glyph of glyphs) {
    if (glyph.isGenerated && isSpace(glyph)) continue;
    const isSame = before !== undefined && isUnder(before, glyph);
    const column = isSame ? columns.at(-1) : undefined;
    if (column === undefined) columns.push([glyph]);
    else column.push(glyph);
    before = glyph;
  }
  const isVertical = columns.length * 2 <= glyphs.length && columns.every(({ length }) => length > 1);
  return isVertical ? columns.toSorted(([a], [b]) => (b?.x ?? 0) - (a?.x ?? 0)) : [glyphs];
}

const isUnder = (above: Glyph, below: Glyph) =>
  Math.abs(above.x - below.x) < LEVEL * above.height && below.y < above.y - LEVEL * above.height;

/** Null if nothing is in it. */
export function lineOf(glyphs: readonly Glyph[]): Line | null {
  const from = glyphs.findIndex((glyph) => !isSpace(glyph));
  const to = glyphs.findLastIndex((glyph) => !isSpace(glyph));
  const [first, last] = [glyphs[from], glyphs[to]];
  if (first === undefined || last === undefined) return null;
  const own = glyphs.slice(from, to + 1);
  const space = own.findIndex(isSpace);
  const wordEnd = (space < 0 ? last : own[space - 1]) ?? last;
  return { text: lineText(own), length: own.length, first, wordEnd, last };
}

/** What is between two lines, and how many characters at the end of the first one are dropped. */
export type Joint = { between: '' | ' ' | '\n'; dropped: 0 | 1 };

const NEW_LINE: Joint = { between: '\n', dropped: 0 };
const WITHIN: Joint = { between: '', dropped: 0 };
const DROP_CAP_SIZE = 1.8;
/** The next line of a paragraph is at most so many heights below. */
const MOST_LEADING = 3;

const [WORD_END, WORD_START] = [/\p{L}[-\u00ad\u2010]$/u, /^\p{Ll}/u];
const [NUMBER_END, NUMBER_START] = [/\d[-\u2010-\u2015]$/, /^\d/];
/** An address without the end of its domain, and what can be that end. */
const [ADDRESS_END, DOMAIN] = [/[\w.+-]@[\w-]*$/, /^[\w-]+\.[a-z]/i];
const [BEFORE_AT, AT] = [/[\w.+-]$/, /^@[\w-]+\.\w/];
/** Groups of four digits or letters, as in card numbers and IBANs. */
const GROUPS_END = /(?:^|\W)(?:[A-Z]{2}\d{2}|\d{4})(?: [A-Z0-9]{4})*$/;
const GROUP = /^(?:\d{4}(?!\w)|\d{1,3}(?!\S))/;

/** How a line continues the one before it: in the same word or value, or not. */
export function jointOf(before: Line, after: Line): Joint {
  const [text, next] = [before.text, after.text];
  if (WORD_END.test(text) && WORD_START.test(next)) return { between: '', dropped: 1 };
  // PDFium takes a hyphen after a letter for one within a word in any case.
  if (before.last.isHyphen) return WITHIN;
  if (NUMBER_END.test(text) && NUMBER_START.test(next) && isBelow(before, after)) return WITHIN;
  if (ADDRESS_END.test(text) && DOMAIN.test(next) && isBelow(before, after)) return WITHIN;
  if (BEFORE_AT.test(text) && AT.test(next) && isBelow(before, after)) return WITHIN;
  if (GROUPS_END.test(text) && GROUP.test(next) && isWrapped(before, after)) {
    return { between: ' ', dropped: 0 };
  }
  return isDropCap(before, after) ? WITHIN : NEW_LINE;
}

const isBelow = ({ last }: Line, { first }: Line) =>
  first.y < last.y && last.y - first.y < last.height * MOST_LEADING;

/** Numbers without a word beside them are rows of a table. */
const WORD = /\p{L}{2}/u;

/** Whether the first word of a line would not have had room at the end of the line before it. */
const isWrapped = (before: Line, after: Line) =>
  WORD.test(before.text + after.text) &&
  isBelow(before, after) &&
  before.last.right + after.wordEnd.right - after.first.left > after.last.right;

/** A large first letter of a paragraph, beside which its lines begin. */
const isDropCap = ({ length, first: cap }: Line, { first }: Line) =>
  length === 1 &&
  /^\p{Lu}$/u.test(cap.text) &&
  /^\p{Ll}$/u.test(first.text) &&
  cap.height > first.height * DROP_CAP_SIZE;
