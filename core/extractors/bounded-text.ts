import type { Extraction } from './extractor.ts';

/** How many pieces are held before they are copied together; see `#pieces`. */
const PIECES = 64;
const MAX_TITLE = 300;

export type Separator = ' ' | '\t' | '\n';

/** Why a reader stopped early. `inflated_bound` is what a decompression bomb meets. */
export type Shortfall = 'member_bound' | 'inflated_bound' | 'damaged' | 'encrypted';

/**
 * The text of one file, of at most `maxCharacters`: what comes after is dropped, and `full` tells the reader to
 * stop. A separator is written only between two texts, and the last one asked for wins, so that nested ends
 * (paragraph in cell in row) leave exactly one.
 */
export class BoundedText {
  /** Pieces are often slices of a 64 kB chunk that they keep alive; joining them lets the chunks go. */
  readonly #pieces: string[] = [];
  readonly #joined: string[] = [];
  readonly #maxCharacters: number;
  #length = 0;
  #pending: Separator | '' = '';
  #full = false;
  #title = '';

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  get full(): boolean {
    return this.#full;
  }

  get length(): number {
    return this.#length;
  }

  /** Characters that still fit. */
  get room(): number {
    return this.#maxCharacters - this.#length;
  }

  /** What the file states as its title, beside its text. The first one stays. */
  get title(): string {
    return this.#title;
  }

  entitle(title: string): void {
    if (this.#title === '') this.#title = title.slice(0, MAX_TITLE).trim().toWellFormed();
  }

  write(text: string): void {
    if (text === '' || this.#full) return;
    if (this.#length > 0 && this.#pending !== '') this.#append(this.#pending);
    this.#pending = '';
    // The database refuses NUL in text, and no format means anything by it.
    this.#append(text.includes('\0') ? text.replaceAll('\0', '') : text);
  }

  separate(separator: Separator): void {
    this.#pending = separator;
  }

  /** Yields to a tab or line end that the structure asked for already. */
  separateWeakly(separator: Separator): void {
    if (this.#pending === '' || this.#pending === ' ') this.#pending = separator;
  }

  /** A text that stands on a line of its own. */
  line(text: string): void {
    this.separate('\n');
    this.write(text);
    this.separate('\n');
  }

  #append(text: string): void {
    const { room } = this;
    if (text.length > room) this.#full = true;
    const kept = text.length > room ? text.slice(0, room) : text;
    this.#pieces.push(kept);
    this.#length += kept.length;
    if (this.#pieces.length >= PIECES) this.#join();
  }

  #join(): void {
    this.#joined.push(this.#pieces.join(''));
    this.#pieces.length = 0;
  }

  toString(): string {
    this.#join();
    // Half a character at the cut, or in the file, would not survive UTF-8.
    return this.#joined.join('').toWellFormed();
  }
}

/**
 * The outcome for what was read. A file that is damaged or too large to inflate, and gave no text at all before
 * that, has failed; with text it is partial, because what was found is worth keeping.
 */
export function textOutcome(format: string, text: BoundedText, shortfall: Shortfall | null): Extraction {
  const title = text.title === '' ? {} : { title: text.title };
  if (text.full) return { state: 'partial', format, text: text.toString(), ...title, reason: 'output_bound' };
  if (shortfall === null)
    return { state: 'available', format, text: text.toString(), ...title, reason: null };
  if (text.length === 0 && (shortfall === 'damaged' || shortfall === 'inflated_bound')) {
    return { state: 'failed', format, reason: shortfall === 'damaged' ? 'corrupt' : 'size_bound' };
  }
  const reason = shortfall === 'inflated_bound' ? 'member_bound' : shortfall;
  return { state: 'partial', format, text: text.toString(), ...title, reason };
}
