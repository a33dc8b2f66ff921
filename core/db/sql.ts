import { hash } from 'node:crypto';

/**
 * Values that can be bound as parameters. Use `sql.json` for JSON documents, because arrays are bound as Postgres
 * arrays.
 */
export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | Uint8Array
  | readonly (string | number | bigint | boolean | null | Date | Uint8Array)[];

/** A statement or a part of one. Only `sql` creates them, so text from outside is always a bound parameter. */
class Fragment {
  readonly #strings: readonly string[];
  readonly #values: readonly SqlValue[];
  readonly #fixed: boolean;

  /** `fixed`: the text depends only on the source code, so that preparing it pays off. */
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
        if (value === undefined) throw new TypeError('sql: undefined cannot be bound. Use null');
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

  /** Tells statements apart by their text, which has no values. */
  get fingerprint(): string {
    return `s_${hash('sha1', this.text, 'base64url')}`;
  }

  /** Whether the text depends only on the source code. */
  get isFixed(): boolean {
    return this.#fixed;
  }
}

export type Statement = Fragment;

const tag = (strings: TemplateStringsArray, ...values: (SqlValue | Statement)[]): Statement =>
  new Fragment(strings, values, true);

/**
 * `` sql`select … where id = ${id}` ``: values are bound as parameters, and statements can be nested. Pass lists of
 * unknown length as one array (`= any(${ids})`, `unnest(${names}::text[])`), so that the statement is prepared only
 * once per connection.
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
   * A whole number as literal text, for limits. For a parameter the planner would assume a tenth of all rows. Use it
   * only for few values, because each one makes another prepared statement on every connection.
   */
  whole(value: number): Statement {
    if (!Number.isSafeInteger(value)) throw new TypeError('sql: not a whole number');
    return new Fragment([String(value)], [], true);
  },
  /** The same statement, which no connection prepares: for texts of which there are many and each is rare. */
  unprepared(statement: Statement): Statement {
    return new Fragment(['', ''], [statement], false);
  },
  /** A JSON document as a parameter: `${sql.json(value)}::jsonb`. */
  json: (value: unknown): string => JSON.stringify(value ?? null),
});
