/** A regular expression as a tree. A set stays as source, because `RegExp` evaluates it best. */
export type PatternNode =
  | { readonly kind: 'set'; readonly source: string }
  | { readonly kind: 'sequence' | 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly least: number; readonly most: number }
  | {
      readonly kind: 'look';
      readonly behind: boolean;
      readonly negative: boolean;
      readonly node: PatternNode;
    };

const EMPTY: PatternNode = { kind: 'sequence', nodes: [] };

class UnknownSyntax extends Error {}

/**
 * Parses the source of a regular expression. `^`, `$` and `\b` become empty, and a back-reference becomes an optional
 * copy of its group. The tree therefore allows at least what the pattern matches.
 * Returns null for syntax that it does not support.
 */
export function parsePattern(source: string): PatternNode | null {
  try {
    const reader = new PatternReader(source);
    return reader.read();
  } catch (error) {
    if (error instanceof UnknownSyntax) return null;
    throw error;
  }
}

class PatternReader {
  readonly #source: string;
  readonly #groups: PatternNode[] = [];
  #at = 0;
  #opened = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): PatternNode {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new UnknownSyntax();
    return node;
  }

  #choice(): PatternNode {
    const nodes = [this.#sequence()];
    while (this.#take('|')) nodes.push(this.#sequence());
    const [only, ...more] = nodes;
    return only !== undefined && more.length === 0 ? only : { kind: 'choice', nodes };
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at))) {
      nodes.push(this.#quantified(this.#atom()));
    }
    const [only, ...more] = nodes;
    return only !== undefined && more.length === 0 ? only : { kind: 'sequence', nodes };
  }

  #quantified(node: PatternNode): PatternNode {
    const [written, least, comma, most] = this.#match(/\?|\*|\+|\{(\d{1,6})(?:(,)(\d{0,6}))?\}/y) ?? [''];
    if (written === '') return node;
    this.#take('?');
    const range = { '?': [0, 1], '*': [0, Number.POSITIVE_INFINITY], '+': [1, Number.POSITIVE_INFINITY] }[
      written
    ];
    if (range !== undefined) return { kind: 'repeat', node, least: range[0] ?? 0, most: range[1] ?? 0 };
    const upper = comma === undefined ? least : most;
    return {
      kind: 'repeat',
      node,
      least: Number(least),
      most: upper === '' ? Number.POSITIVE_INFINITY : Number(upper),
    };
  }

  #atom(): PatternNode {
    if (this.#take('(')) return this.#group();
    const set = this.#match(/\[\^?(?:\\[\s\S]|[^\]\\])*\]/y);
    if (set !== null) return { kind: 'set', source: set[0] };
    if (this.#match(/[\^$]|\\[bB]/y) !== null) return EMPTY;
    const reference = this.#match(/\\([1-9])(?!\d)/y);
    if (reference !== null) {
      const group = this.#groups[Number(reference[1]) - 1];
      if (group === undefined) throw new UnknownSyntax();
      return { kind: 'repeat', node: group, least: 0, most: 1 };
    }
    const one = this.#match(
      /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]+\}|[^uxpPk\d])|[^\\*+?{}[\]]|[{}\]]/y,
    );
    if (one === null) throw new UnknownSyntax();
    return { kind: 'set', source: one[0] };
  }

  #group(): PatternNode {
    const look = this.#match(/\?(<?)([=!])/y);
    const isBare = look === null && this.#take('?:');
    const isGroup = look === null && !isBare;
    if (isGroup && this.#source.charAt(this.#at) === '?') throw new UnknownSyntax();
    const index = this.#opened;
    if (isGroup) this.#opened += 1;
    const node = this.#choice();
    if (!this.#take(')')) throw new UnknownSyntax();
    if (isGroup) this.#groups[index] = node;
    return look === null ? node : { kind: 'look', behind: look[1] === '<', negative: look[2] === '!', node };
  }

  #take(text: string): boolean {
    const isThere = this.#source.startsWith(text, this.#at);
    if (isThere) this.#at += text.length;
    return isThere;
  }

  #match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#source);
    if (match !== null) this.#at = sticky.lastIndex;
    return match;
  }
}
