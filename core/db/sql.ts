import { hash } from 'node:crypto';

/** What may be bound as a parameter. A JSON document goes through `sql.json`, since arrays mean Postgres arrays here. */
export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | Uint8Array
  | readonly (string | number | bigint | boolean | null | Date | Uint8Array)[];

/** A statement or a piece of one. Only `sql` makes them, so text from outside is always a bound parameter. */
class Fragment {
  readonly #strings: readonly string[];
  readonly #values: readonly SqlValue[];
  readonly #fixed: boolean;

  /** `fixed`: the text depends on the source code alone, so that it is worth preparing. */
  constructor(strings: readonly string[], values: readonly (SqlValue | Fragment)[], fixed: boolean) {
    const flatStrings = [strings[0] ?? ''];
    const flatValues: SqlValue[] = [];
    let flatFixed = fixed;
    const append = (text: string) => flatStrings.push(`${flatStrings.pop()}${text}`);
    values.forEach((value, index) => {
      if (value instanceof Fragment) {
        const [first = '', ...rest] = value.#strings;
        append(first);
        flatStrings.push(...rest);
        flatValues.push(...value.#values);
        flatFixed &&= value.#fixed;
      } else {
        if (value === undefined) throw new TypeError('sql: undefined is not a value; say null');
        flatStrings.push('');
        flatValues.push(value);
      }
      append(strings[index + 1] ?? '');
    });
    this.#strings = flatStrings;
    this.#values = flatValues;
    this.#fixed = flatFixed;
  }

  get text(): string {
    return this.#strings.reduce((text, part, index) => `${text}$${index}${part}`);
  }

  get values(): readonly SqlValue[] {
    return this.#values;
  }

  /** Name of the prepared statement: the same text has the same name, a text of varying length has none. */
  get name(): string | undefined {
    return this.#fixed ? `s_${hash('sha1', this.text, 'base64url')}` : undefined;
  }
}

export type Statement = Fragment;

const tag = (strings: TemplateStringsArray, ...values: (SqlValue | Statement)[]): Statement =>
  new Fragment(strings, values, true);

/**
 * `` sql`select … where id = ${id}` ``: parameters are bound, statements nest.
 * Lists of unknown length are best passed as one array (`= any(${ids})`, `unnest(${names}::text[])`): such a
 * statement is prepared once per connection.
 */
export const sql = Object.assign(tag, {
  /** Quoted identifier, dotted when there are several parts. */
  ident(...parts: string[]): Statement {
    const quoted = parts.map((part) => {
      if (part === '' || part.includes('\0')) throw new TypeError('sql: not an identifier');
      return `"${part.replaceAll('"', '""')}"`;
    });
    return new Fragment([quoted.join('.')], [], false);
  },
  /**
   * A whole number that stands in the text and is no parameter: how many rows are wanted, without which the planner
   * takes a tenth of all for granted. Only for a few values: each makes another statement that every connection keeps.
   */
  whole(value: number): Statement {
    if (!Number.isSafeInteger(value)) throw new TypeError('sql: not a whole number');
    return new Fragment([String(value)], [], true);
  },
  /** A JSON document as a parameter: `${sql.json(value)}::jsonb`. */
  json: (value: unknown): string => JSON.stringify(value ?? null),
});
