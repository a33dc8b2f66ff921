import { BoundedText } from '../bounded-text.ts';
import type { FileHead } from '../extractor.ts';
import { leadsSomewhere, shownInstruction } from '../office/field-instruction.ts';
import { CHARSETS, decodeCodePage } from '../text/code-page.ts';
import { objectFile } from './rtf-object.ts';
import { type RtfHandler, readRtf } from './rtf-tokens.ts';
import { BREAKS, CHARACTERS, DESTINATIONS, type Destination, SHAPE_TEXTS } from './rtf-words.ts';

/** Nested groups cost memory each. No writer nests deeper. */
const MAX_DEPTH = 2_000;
const MAX_FONTS = 10_000;
const MAX_OBJECTS = 1_000;
/**
 * The most characters collected before it is decided whether they are text: field instructions, names of properties.
 */
const MAX_CAPTURED_CHARACTERS = 10_000;
const WESTERN = 1252;
/** A font number that no table contains. Document properties use the code page of the document. */
const NO_FONT = -1;

type Group = {
  destination: Destination;
  /** Whether this group was opened for the word, so that its end ends the destination. */
  opened: boolean;
  text: BoundedText;
  /** Whether text in this group is dropped. */
  muted: boolean;
  font: number | null;
  /** The number of fallback characters after `\u`, for readers without Unicode. */
  fallback: number;
  /** Whether the text is between `\htmlrtf` and `\htmlrtf0`, and not part of the HTML page. */
  notOfPage: boolean;
};

/**
 * A walk over an RTF document. Mode `document` writes visible and hidden text. Mode `page` writes the markup of the
 * HTML page that a mail program wrapped ([MS-OXRTFEX]).
 */
export class RtfWalk implements RtfHandler {
  /** Files embedded as objects. */
  readonly files: FileHead[] = [];
  readonly #data: Buffer;
  readonly #mode: 'document' | 'page';
  readonly #groups: Group[] = [];
  #group: Group;
  /** Whether the next word follows the start of a group, or `\*`. */
  #fresh: 'no' | 'group' | 'optional' = 'no';
  #ended = false;
  #tooDeep = false;
  /** Bytes that are not decoded yet, because a character can have several. */
  #bytes: Buffer = Buffer.alloc(256);
  #held = 0;
  #skip = 0;
  #codePage = WESTERN;
  #defaultFont: number | null = null;
  readonly #fonts = new Map<number, number>();
  /** The number of the font that is being defined. */
  #described = 0;
  #property = '';
  readonly #hex: string[] = [];

  constructor(data: Buffer, text: BoundedText, mode: 'document' | 'page') {
    this.#data = data;
    this.#mode = mode;
    this.#group = {
      destination: 'text',
      opened: false,
      text,
      muted: false,
      font: null,
      fallback: 1,
      notOfPage: false,
    };
    readRtf(data, this, () => text.full || this.#ended || this.#tooDeep);
    this.#flush();
  }

  /** Whether the document ends within a group or is nested too deep. */
  get damaged(): boolean {
    return !this.#ended;
  }

  open(): void {
    this.#flush();
    this.#skip = 0;
    this.#tooDeep = this.#groups.length >= MAX_DEPTH;
    this.#groups.push(this.#group);
    this.#group = { ...this.#group, opened: false };
    this.#fresh = 'group';
  }

  close(): void {
    this.#flush();
    this.#skip = 0;
    this.#fresh = 'no';
    const ended = this.#group;
    const around = this.#groups.pop();
    if (around === undefined) return;
    this.#group = around;
    if (ended.opened) this.#finish(ended, around);
    this.#ended = this.#groups.length === 0;
  }

  control(word: string, parameter: number | null): void {
    this.#flushUnlessByteLike(word);
    if (word === '*') {
      if (this.#fresh === 'group') this.#fresh = 'optional';
      return;
    }
    const fresh = this.#fresh;
    this.#fresh = 'no';
    if (fresh !== 'no' && this.#opens(word, fresh === 'optional')) return;
    const character = CHARACTERS.get(word);
    if (character !== undefined) {
      this.#character(character);
      return;
    }
    this.#skip = 0;
    const separator = BREAKS.get(word);
    if (separator !== undefined) {
      if (!this.#silent) this.#group.text.separate(separator);
      return;
    }
    this.#setting(word, parameter);
  }

  run(start: number, end: number): void {
    this.#fresh = 'no';
    if (this.#group.destination === 'object') {
      this.#hex.push(this.#data.toString('latin1', start, end));
      return;
    }
    const from = start + Math.min(this.#skip, end - start);
    this.#skip -= from - start;
    if (from === end || this.#silent) return;
    this.#hold(end - from);
    this.#data.copy(this.#bytes, this.#held, from, end);
    this.#held += end - from;
  }

  byte(value: number): void {
    this.#fresh = 'no';
    if (this.#skip > 0) this.#skip--;
    else if (!this.#silent) {
      this.#hold(1);
      this.#bytes[this.#held++] = value;
    }
  }

  binary(start: number, end: number): void {
    this.#fresh = 'no';
    if (this.#skip > 0) this.#skip--;
    else if (this.#group.destination === 'object') this.#hex.push(this.#data.toString('hex', start, end));
  }

  get #silent(): boolean {
    return this.#group.muted || (this.#group.notOfPage && this.#mode === 'page');
  }

  /** Ensures room for `count` more bytes. */
  #hold(count: number): void {
    if (this.#held + count <= this.#bytes.length) return;
    const larger = Buffer.alloc((this.#held + count) * 2);
    this.#bytes.copy(larger, 0, 0, this.#held);
    this.#bytes = larger;
  }

  #flushUnlessByteLike(word: string): void {
    // An escaped brace or backslash can be the second byte of a character.
    if (this.#held > 0 && !(word === '\\' || word === '{' || word === '}')) this.#flush();
  }

  #flush(): void {
    if (this.#held === 0) return;
    const font = this.#group.font ?? this.#defaultFont;
    const codePage = (font === null ? undefined : this.#fonts.get(font)) ?? this.#codePage;
    this.#group.text.write(decodeCodePage(this.#bytes.subarray(0, this.#held), codePage));
    this.#held = 0;
  }

  #character(character: string): void {
    if (this.#skip > 0) this.#skip--;
    else if (this.#silent) return;
    else if (character === '\\' || character === '{' || character === '}') {
      this.#hold(1);
      this.#bytes[this.#held++] = character.charCodeAt(0);
    } else this.#group.text.write(character);
  }

  /** Whether the word is a destination. If so, the group becomes that destination. */
  #opens(word: string, optional: boolean): boolean {
    const around = this.#group.destination;
    if (around === 'skip') return true;
    if (this.#mode === 'page') return this.#opensPagePart(word, optional);
    if (around === 'either' && word !== 'ud') return true;
    if (word === 'ud') {
      const outer = this.#groups.findLast((group) => group.destination !== 'either');
      if (outer !== undefined) Object.assign(this.#group, { destination: 'text', muted: outer.muted });
      return true;
    }
    const destination = DESTINATIONS.get(word) ?? (optional ? 'skip' : undefined);
    if (destination === undefined) return false;
    this.#enter(destination);
    if (word === 'info' || word === 'userprops') this.#group.font = NO_FONT;
    return true;
  }

  #opensPagePart(word: string, optional: boolean): boolean {
    if (word === 'htmltag') {
      Object.assign(this.#group, { muted: false, notOfPage: false });
      return true;
    }
    const destination = DESTINATIONS.get(word);
    if (destination === undefined && !optional) return false;
    if (destination === 'fonts') this.#enter('fonts');
    else if (destination === 'text') return false;
    else this.#enter('skip');
    return true;
  }

  #enter(destination: Destination): void {
    const group = this.#group;
    group.destination = destination;
    group.opened = true;
    const capturing = destination === 'instruction' || destination === 'name';
    const wanted = destination === 'value' && SHAPE_TEXTS.has(this.#property);
    group.muted = !(destination === 'text' || destination === 'line' || capturing || wanted);
    if (capturing) group.text = new BoundedText(MAX_CAPTURED_CHARACTERS);
    else if (destination === 'line' || wanted) group.text.separate('\n');
  }

  #finish(group: Group, around: Group): void {
    if (group.destination === 'line' || (group.destination === 'value' && !group.muted)) {
      group.text.separate('\n');
    } else if (group.destination === 'name') this.#property = group.text.toString().trim();
    else if (group.destination === 'instruction' && !around.muted) {
      const instruction = group.text.toString();
      if (leadsSomewhere(instruction)) around.text.line(instruction.trim());
      else around.text.write(shownInstruction(instruction));
    } else if (group.destination === 'object') this.#endObject();
  }

  #endObject(): void {
    const digits = this.#hex.splice(0).join('').replace(/\s/g, '');
    const file = objectFile(Buffer.from(digits, 'hex'));
    if (file !== null && this.files.length < MAX_OBJECTS) this.files.push(file);
  }

  #setting(word: string, parameter: number | null): void {
    const group = this.#group;
    switch (word) {
      case 'u':
        this.#unicode(parameter ?? 0);
        return;
      case 'uc':
        group.fallback = Math.max(0, parameter ?? 1);
        return;
      case 'f':
        if (group.destination === 'fonts') this.#described = parameter ?? 0;
        else group.font = parameter;
        return;
      case 'fcharset':
        this.#describeFont(CHARSETS.get(parameter ?? 0));
        return;
      case 'cpg':
        this.#describeFont(parameter ?? undefined);
        return;
      case 'plain':
        group.font = null;
        return;
      case 'deff':
        this.#defaultFont = parameter;
        return;
      case 'ansicpg':
        this.#codePage = parameter ?? WESTERN;
        return;
      case 'mac':
        this.#codePage = 10000;
        return;
      case 'pca':
        this.#codePage = 850;
        return;
      case 'pc':
        this.#codePage = 437;
        return;
      case 'htmlrtf':
        group.notOfPage = parameter !== 0;
    }
  }

  #describeFont(codePage: number | undefined): void {
    if (this.#group.destination !== 'fonts' || this.#fonts.size >= MAX_FONTS) return;
    if (codePage !== undefined) this.#fonts.set(this.#described, codePage);
  }

  /** A signed number of 16 bits. Some writers use the whole code point. */
  #unicode(parameter: number): void {
    const code = parameter < 0 ? parameter + 0x1_0000 : parameter;
    if (!this.#silent && code > 0 && code <= 0x10_ffff) this.#group.text.write(String.fromCodePoint(code));
    this.#skip = this.#group.fallback;
  }
}
