import { decodedXml } from './xml-entities.ts';
import { localName, Tag } from './xml-tag.ts';

/** Receives the elements of one part by local name, because writers choose namespace prefixes. */
export type MarkupHandler = {
  open(name: string, tag: Tag): void;
  text(text: string): void;
  close(name: string): void;
};

/**
 * Constructs other than text and elements, by their start and end (XML 1.0, 2.5 to 2.8). `<!` begins a document type
 * declaration.
 */
const COMMENT = ['<!--', '-->'] as const;
const CDATA = ['<![CDATA[', ']]>'] as const;
const INSTRUCTION = ['<?', '?>'] as const;
const LONGEST_OPENING = CDATA[0].length;

const SPACE = 0x20;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const QUESTION = 0x3f;
const EXCLAMATION = 0x21;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

const INCOMPLETE = -1;

const MAX_DEPTH = 512;
/** A longer text or tag would fill the buffer. No writer produces one. */
const MAX_TOKEN_CHARACTERS = 4_000_000;
/** After this many faults, a part is not treated as XML. */
const MAX_FAULTS = 100;

/**
 * An incremental XML 1.0 reader. Passes elements, texts and CDATA to a handler and skips everything else. It does not
 * resolve entities that a document declares.
 * It continues after a fault and counts it, so that a damaged part still yields its text. An element that is not
 * closed ends with its parent. An end tag without a start is skipped.
 */
export class XmlReader {
  readonly #handler: MarkupHandler;
  /** Names of open elements, with prefixes. */
  readonly #open: string[] = [];
  /** Input that is not complete yet. */
  #rest = '';
  #elements = 0;
  #faults = 0;

  constructor(handler: MarkupHandler) {
    this.#handler = handler;
  }

  /** The number of faults found so far. Not every fault is detected. */
  get faults(): number {
    return this.#faults;
  }

  /** Whether a bound was met. Nothing more is read then. */
  get spoiled(): boolean {
    return (
      this.#open.length > MAX_DEPTH || this.#faults > MAX_FAULTS || this.#rest.length > MAX_TOKEN_CHARACTERS
    );
  }

  write(piece: string): void {
    const source = this.#rest + piece;
    let at = 0;
    while (!this.spoiled) {
      const next = this.#token(source, at);
      if (next === INCOMPLETE) break;
      at = next;
    }
    this.#rest = source.slice(at);
  }

  /** Ends the document. */
  end(): void {
    if (this.#rest.charCodeAt(0) === LESS) this.#faults++;
    else this.#text(this.#rest);
    this.#rest = '';
    if (this.#open.length > 0 || this.#elements === 0) this.#faults++;
    while (this.#open.length > 0) this.#closeLast();
  }

  /** Reads the text or construct at an offset and returns where it ends. */
  #token(source: string, at: number): number {
    if (source.charCodeAt(at) !== LESS) {
      const end = source.indexOf('<', at);
      if (end === INCOMPLETE) return INCOMPLETE;
      this.#text(source.slice(at, end));
      return end;
    }
    if (at + 1 >= source.length) return INCOMPLETE;
    switch (source.charCodeAt(at + 1)) {
      case SLASH:
        return this.#endTag(source, at);
      case QUESTION:
        return after(source, INSTRUCTION, at);
      case EXCLAMATION:
        return this.#declaration(source, at);
      default:
        return this.#startTag(source, at);
    }
  }

  #declaration(source: string, at: number): number {
    if (source.startsWith(COMMENT[0], at)) return after(source, COMMENT, at);
    if (source.startsWith(CDATA[0], at)) {
      const end = after(source, CDATA, at);
      if (end !== INCOMPLETE) this.#handler.text(source.slice(at + CDATA[0].length, end - CDATA[1].length));
      return end;
    }
    return at + LONGEST_OPENING > source.length ? INCOMPLETE : endOfDeclaration(source, at);
  }

  #startTag(source: string, at: number): number {
    const first = source.charCodeAt(at + 1);
    if (first <= SPACE || first === LESS || first === GREATER || first === EQUALS) {
      this.#faults++;
      this.#text('<');
      return at + 1;
    }
    let nameEnd = at + 1;
    while (!endsName(source.charCodeAt(nameEnd))) nameEnd++;
    const end = this.#endOfTag(source, nameEnd);
    if (end === INCOMPLETE) return INCOMPLETE;
    const name = source.slice(at + 1, nameEnd);
    const local = localName(name);
    const isEmpty = source.charCodeAt(end - 1) === SLASH;
    if (this.#open.length === 0 && this.#elements > 0) this.#faults++;
    this.#elements++;
    this.#open.push(name);
    this.#handler.open(local, new Tag(name, source.slice(nameEnd, isEmpty ? end - 1 : end)));
    if (isEmpty) this.#closeLast();
    return end + 1;
  }

  /** The offset of `>` outside quotes. */
  #endOfTag(source: string, from: number): number {
    for (let at = from; at < source.length; at++) {
      const code = source.charCodeAt(at);
      if (code === GREATER) return at;
      if (code === LESS) {
        this.#faults++;
      } else if (code === QUOTE || code === APOSTROPHE) {
        const before = source.charCodeAt(at - 1);
        if (before !== EQUALS && before > SPACE) this.#faults++;
        at = source.indexOf(code === QUOTE ? '"' : "'", at + 1);
        if (at === INCOMPLETE) return INCOMPLETE;
      }
    }
    return INCOMPLETE;
  }

  #endTag(source: string, at: number): number {
    const last = this.#open.at(-1);
    const nameStart = at + 2;
    if (last !== undefined && source.startsWith(last, nameStart)) {
      const end = nameStart + last.length;
      if (source.charCodeAt(end) === GREATER) {
        this.#closeLast();
        return end + 1;
      }
    }
    const end = source.indexOf('>', nameStart);
    if (end === INCOMPLETE) return INCOMPLETE;
    this.#close(source.slice(nameStart, end).trim());
    return end + 1;
  }

  #close(name: string): void {
    const depth = this.#open.lastIndexOf(name);
    if (depth !== this.#open.length - 1 || depth < 0) this.#faults++;
    while (depth >= 0 && this.#open.length > depth) this.#closeLast();
  }

  #closeLast(): void {
    this.#handler.close(localName(this.#open.pop() ?? ''));
  }

  /** Every kind of line end is one character (XML 1.0, 2.11). */
  #text(source: string): void {
    if (source === '') return;
    const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source;
    if (this.#open.length === 0 && text.trim() !== '') this.#faults++;
    const decoded = decodedXml(text);
    // An invalid reference, or one to an entity that the document declares.
    if (decoded === text && text.includes('&')) this.#faults++;
    this.#handler.text(decoded);
  }
}

/** Also true for NaN, at the end of the source. */
const endsName = (code: number) => !(code > SPACE && code !== SLASH && code !== GREATER && code !== LESS);

function after(source: string, [opening, closing]: readonly [string, string], at: number): number {
  const end = source.indexOf(closing, at + opening.length);
  return end === INCOMPLETE ? INCOMPLETE : end + closing.length;
}

/** A document type declaration can contain others in brackets, with `>` in them and in their quotes. */
function endOfDeclaration(source: string, from: number): number {
  let isInside = false;
  for (let at = from; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === OPENING_BRACKET) isInside = true;
    else if (code === CLOSING_BRACKET) isInside = false;
    else if (code === GREATER && !isInside) return at + 1;
    else if (code === LESS && source.startsWith(COMMENT[0], at)) {
      at = after(source, COMMENT, at) - 1;
      if (at < from) return INCOMPLETE;
    } else if (code === QUOTE || code === APOSTROPHE) {
      at = source.indexOf(code === QUOTE ? '"' : "'", at + 1);
      if (at === INCOMPLETE) return INCOMPLETE;
    }
  }
  return INCOMPLETE;
}
