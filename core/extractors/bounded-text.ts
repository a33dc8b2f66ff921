import type { FileInside } from '../kernel/about-text.ts';

/** How many pieces are collected before they are joined. See `#pieces`. */
const PIECES = 64;
const MAX_TITLE = 300;
/** The last steps of a longer path of a file inside are kept. */
const MAX_PATH = 500;
/** A page or document with fewer characters is probably a picture with a stamp, a title or a page number. */
export const SCANTY_TEXT = 40;
/** Longer pieces are not checked for being blank. */
const MAX_BLANK = 8;

export type Separator = ' ' | '\t' | '\n';

/**
 * Why the text is not all of the file, or may differ from it. Decompression bombs end with `inflated_bound`. Of text in
 * an `unknown_encoding`, only ASCII is known.
 */
export type Shortfall = 'member_bound' | 'inflated_bound' | 'damaged' | 'encrypted' | 'unknown_encoding';

/**
 * The text of one file, at most `maxCharacters` long. Further text is dropped, and `full` asks the reader to stop.
 * A separator is written only between two texts. Of several in a row, the last one wins, so that nested ends
 * (paragraph in cell in row) leave exactly one.
 */
export class BoundedText {
  /** Pieces are often slices that keep a 64 kB chunk alive. Joining them releases the chunks. */
  readonly #pieces: string[] = [];
  readonly #joined: string[] = [];
  readonly #maxCharacters: number;
  readonly #inside: FileInside[] = [];
  #length = 0;
  #pending: Separator | '' = '';
  #full = false;
  #title = '';
  #contentLength = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  get full(): boolean {
    return this.#full;
  }

  get length(): number {
    return this.#length;
  }

  /** How many characters are content, and not names of parts or properties. */
  get contentLength(): number {
    return this.#contentLength;
  }

  /** How many more characters fit. */
  get room(): number {
    return this.#maxCharacters - this.#length;
  }

  /** The title that the file states. Only the first one counts. */
  get title(): string {
    return this.#title;
  }

  /** The files inside that have a name. Each comes after those in it. */
  get inside(): readonly FileInside[] {
    return this.#inside;
  }

  entitle(title: string): void {
    if (this.#title === '') this.#title = title.slice(0, MAX_TITLE).trim();
  }

  write(text: string): void {
    if (text === '' || this.#full) return;
    this.#appendPending();
    // No format gives NUL a meaning.
    this.#append(text.includes('\0') ? text.replaceAll('\0', '') : text);
  }

  /** An empty separator takes back the one that was requested. */
  separate(separator: Separator | ''): void {
    this.#pending = separator;
  }

  /** Adds a separator unless the structure has already requested a tab or line end. */
  separateWeakly(separator: Separator): void {
    if (this.#pending === '' || this.#pending === ' ') this.#pending = separator;
  }

  /** Adds a text on a line of its own. */
  line(text: string): void {
    this.separate('\n');
    this.write(text);
    this.separate('\n');
  }

  /** Notes that what was written since `contentLength` had this value is no content. */
  discountTo(contentLength: number): void {
    this.#contentLength = contentLength;
  }

  /** As `line`, for the name of a part or a property, which is no content. */
  besides(text: string): void {
    const before = this.#contentLength;
    this.line(text);
    this.discountTo(before);
  }

  /**
   * Adds the text of a file inside on lines of its own.
   * @param path where it is in this file. Empty if it has no name
   * @param inside the files in it, at offsets of its text
   */
  file(path: string, text: string, inside: readonly FileInside[]): void {
    this.separate('\n');
    if (text === '') return;
    this.#appendPending();
    const at = this.#length;
    this.write(text);
    const steps = path === '' ? [] : [path];
    for (const { path: last, start, end } of inside) {
      this.#inside.push({ path: lastSteps([...steps, last].join('/')), start: at + start, end: at + end });
    }
    if (path !== '') this.#inside.push({ path: lastSteps(path), start: at, end: this.#length });
    this.separate('\n');
  }

  #appendPending(): void {
    if (this.#length > 0 && this.#pending !== '') this.#append(this.#pending);
    this.#pending = '';
  }

  #append(text: string): void {
    const { room } = this;
    if (text.length > room) this.#full = true;
    const kept = text.length > room ? text.slice(0, room) : text;
    this.#pieces.push(kept);
    this.#length += kept.length;
    if (kept.length > MAX_BLANK || kept.trim() !== '') this.#contentLength += kept.length;
    if (this.#pieces.length >= PIECES) this.#join();
  }

  #join(): void {
    this.#joined.push(this.#pieces.join(''));
    this.#pieces.length = 0;
  }

  toString(): string {
    this.#join();
    return this.#joined.join('');
  }
}

/** Cut before a step where that is possible, so that no part of an identifier is left. */
function lastSteps(path: string): string {
  if (path.length <= MAX_PATH) return path;
  const end = path.slice(-MAX_PATH);
  return end.slice(end.indexOf('/') + 1);
}
