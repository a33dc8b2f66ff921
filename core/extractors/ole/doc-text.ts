import type { BoundedText } from '../bounded-text.ts';
import { leadsSomewhere, shownInstruction } from '../office/field-instruction.ts';

/** Structural characters ([MS-DOC] 2.4.1 and 2.8.25). */
const CELL_END = '\x07';
const FIELD_BEGIN = '\x13';
const FIELD_RESULT = '\x14';
const FIELD_END = '\x15';
const SEPARATORS: ReadonlyMap<string, '\n' | '\t'> = new Map([
  ['\t', '\t'],
  ['\n', '\n'],
  ['\x0b', '\n'],
  ['\f', '\n'],
  ['\r', '\n'],
  ['\x0e', '\n'],
]);
const NON_BREAKING_HYPHEN = '\x1e';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the structure of this format.
const CONTROL = /([\0-\x1f])/;

const MAX_INSTRUCTION_CHARACTERS = 10_000;
const MAX_FIELD_DEPTH = 32;

/** Writes the text of a Word document piece by piece, without field instructions. */
export class DocumentText {
  readonly #text: BoundedText;
  /** The open fields, innermost last: the instruction so far, or null within the result. */
  readonly #fields: (string | null)[] = [];
  /** Link targets of fields, written after the story so that its sentences stay whole. */
  #targets: string[] = [];
  #story = 0;
  #inCell = false;

  constructor(text: BoundedText) {
    this.#text = text;
  }

  write(characters: string, story: number): void {
    if (story !== this.#story) this.end();
    this.#story = story;
    for (const part of characters.split(CONTROL)) {
      if (part === '') continue;
      if (part.length > 1 || part >= ' ') this.#words(part);
      else this.#control(part);
      this.#inCell = part === CELL_END;
    }
  }

  /** Ends a story and the fields that it leaves open. Their instructions are written as text. */
  end(): void {
    while (this.#fields.length > 0) this.#text.write(this.#fields.pop() ?? '');
    for (const target of this.#targets) this.#text.line(target);
    this.#targets = [];
    this.#text.separate('\n');
  }

  #words(words: string): void {
    const instruction = this.#fields.at(-1);
    if (typeof instruction !== 'string') this.#text.write(words);
    else if (instruction.length + words.length <= MAX_INSTRUCTION_CHARACTERS) {
      this.#fields[this.#fields.length - 1] = instruction + words;
    } else {
      this.#fields[this.#fields.length - 1] = null;
      this.#text.write(instruction + words);
    }
  }

  #control(control: string): void {
    const separator = SEPARATORS.get(control);
    if (separator !== undefined) this.#separate(separator);
    else if (control === NON_BREAKING_HYPHEN) this.#words('-');
    // The end of a row is another cell end.
    else if (control === CELL_END) this.#separate(this.#inCell ? '\n' : '\t');
    else if (control === FIELD_BEGIN && this.#fields.length < MAX_FIELD_DEPTH) this.#fields.push('');
    else if (control === FIELD_RESULT) this.#endInstruction();
    else if (control === FIELD_END) this.#endField();
  }

  #separate(separator: '\n' | '\t'): void {
    if (typeof this.#fields.at(-1) === 'string') this.#words(' ');
    else this.#text.separate(separator);
  }

  #endInstruction(): void {
    const instruction = this.#fields.pop();
    if (instruction === undefined) return;
    if (instruction !== null && leadsSomewhere(instruction)) this.#targets.push(instruction.trim());
    else if (instruction !== null) this.#words(shownInstruction(instruction));
    this.#fields.push(null);
  }

  #endField(): void {
    this.#endInstruction();
    this.#fields.pop();
  }
}
