import { BoundedText } from '../bounded-text.ts';

/** All shared strings in one text with their end offsets, because a million small strings take much more memory. */
export class SharedStrings {
  readonly #text: BoundedText;
  readonly #ends: number[] = [];
  readonly #most: number;
  #whole: string | null = null;

  constructor(maxCharacters: number) {
    this.#text = new BoundedText(maxCharacters);
    this.#most = maxCharacters;
  }

  /** Beyond the bound, strings are dropped: the text is full by the time the sheets show them. */
  get full(): boolean {
    return this.#text.full || this.#ends.length >= this.#most;
  }

  write(text: string): void {
    this.#text.write(text);
  }

  end(): void {
    if (!this.full) this.#ends.push(this.#text.length);
  }

  at(index: number): string {
    this.#whole ??= this.#text.toString();
    const end = this.#ends[index];
    return end === undefined ? '' : this.#whole.slice(this.#ends[index - 1] ?? 0, end);
  }
}
