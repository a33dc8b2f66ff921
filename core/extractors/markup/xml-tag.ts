import { decodedXml } from './xml-entities.ts';

/** A name without its namespace prefix, which writers choose. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** A start tag. Attributes are parsed on demand, because most are not needed. */
export class Tag {
  /** The name with its prefix. */
  readonly name: string;
  readonly #source: string;

  /** @param source the text between the name and the end of the tag */
  constructor(name: string, source: string) {
    this.name = name;
    this.#source = source;
  }

  /** The value of the attribute with this local name. */
  attribute(local: string): string | undefined {
    let found: string | undefined;
    this.#walk((name, from, to) => {
      if (found === undefined && name.endsWith(local) && localName(name) === local) {
        found = this.#value(from, to);
      }
    });
    return found;
  }

  /** Calls back with each non-empty value of attributes with one of these local names. */
  forEach(wanted: ReadonlySet<string>, use: (value: string) => void): void {
    this.#walk((name, from, to) => {
      if (from < to && wanted.has(localName(name))) use(this.#value(from, to));
    });
  }

  /** A line end in a value is a space (XML 1.0, 3.3.3). */
  #value(from: number, to: number): string {
    return decodedXml(this.#source.slice(from, to).replace(/\r\n|[\t\r\n]/g, ' '));
  }

  /** Attribute names with the positions of their values, in either kind of quotes. */
  #walk(see: (name: string, from: number, to: number) => void): void {
    const source = this.#source;
    let at = 0;
    for (;;) {
      const equals = source.indexOf('=', at);
      if (equals < 0) return;
      const from = afterSpace(source, equals + 1);
      const quote = source[from];
      if (quote !== '"' && quote !== "'") return;
      const to = source.indexOf(quote, from + 1);
      if (to < 0) return;
      see(source.slice(at, equals).trim(), from + 1, to);
      at = to + 1;
    }
  }
}

function afterSpace(source: string, from: number): number {
  let at = from;
  while (source.charCodeAt(at) <= SPACE) at++;
  return at;
}

const SPACE = 0x20;
