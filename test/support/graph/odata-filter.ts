import { GraphError } from './errors.ts';

/** A directory object, as far as it is asked about. */
type Filterable = Readonly<Record<string, unknown>>;
type Test = (object: Filterable) => boolean;

export const unsupportedQuery = (message: string): GraphError =>
  new GraphError(400, 'Request_UnsupportedQuery', message);

const TOKEN = /\s*(?:'((?:[^']|'')*)'|([A-Za-z][A-Za-z0-9]*)|(-?\d+)|([(),]))/y;

type Token = { kind: 'text' | 'name' | 'number' | 'sign'; value: string };

function tokensOf(filter: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < filter.trimEnd().length) {
    const match = TOKEN.exec(filter);
    if (match === null) throw unsupportedQuery('Invalid filter clause.');
    const [, text, name, number, sign] = match;
    if (text !== undefined) tokens.push({ kind: 'text', value: text.replaceAll("''", "'") });
    else if (name !== undefined) tokens.push({ kind: 'name', value: name });
    else if (number !== undefined) tokens.push({ kind: 'number', value: number });
    else tokens.push({ kind: 'sign', value: sign ?? '' });
  }
  return tokens;
}

const same = (a: unknown, b: string): boolean => String(a ?? 'null').toLowerCase() === b.toLowerCase();

/**
 * What a `$filter` asks for: `eq`, `in`, `startswith`, `and`, `or`, parentheses. Texts compare without case, as the
 * directory compares them.
 */
export function filterOf(filter: string): Test {
  const tokens = tokensOf(filter);
  let at = 0;
  const next = (): Token => {
    const token = tokens[at++];
    if (token === undefined) throw unsupportedQuery('Invalid filter clause.');
    return token;
  };
  const expect = (value: string) => {
    if (next().value !== value) throw unsupportedQuery('Invalid filter clause.');
  };
  const literals = (): string[] => {
    expect('(');
    const values = [next().value];
    while (tokens[at]?.value === ',') {
      at += 1;
      values.push(next().value);
    }
    expect(')');
    return values;
  };
  const comparison = (): Test => {
    const { kind, value: name } = next();
    if (kind === 'sign' && name === '(') {
      const inner = either();
      expect(')');
      return inner;
    }
    if (name === 'startswith') {
      expect('(');
      const property = next().value;
      expect(',');
      const prefix = next().value.toLowerCase();
      expect(')');
      return (object) =>
        String(object[property] ?? '')
          .toLowerCase()
          .startsWith(prefix);
    }
    const operator = next().value;
    if (operator === 'in') {
      const values = literals();
      // Documented (`filter-query-parameter`): `in` takes at most 15 values.
      if (values.length > 15)
        throw unsupportedQuery('Too many child clauses specified in search filter expression.');
      return (object) => values.some((value) => same(object[name], value));
    }
    if (operator !== 'eq') throw unsupportedQuery(`The operator '${operator}' is not supported.`);
    const { value } = next();
    return (object) => same(object[name], value);
  };
  const both = (): Test => {
    const tests = [comparison()];
    while (tokens[at]?.value === 'and') {
      at += 1;
      tests.push(comparison());
    }
    return (object) => tests.every((test) => test(object));
  };
  const either = (): Test => {
    const tests = [both()];
    while (tokens[at]?.value === 'or') {
      at += 1;
      tests.push(both());
    }
    return (object) => tests.some((test) => test(object));
  };
  const whole = either();
  if (at < tokens.length) throw unsupportedQuery('Invalid filter clause.');
  return whole;
}

/** Parts of a name: at spaces, at signs, and where an upper case letter follows a lower case one. */
const partsOf = (text: string): string[] =>
  text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '');

/** Documented (`search-query-parameter`): names are searched by the parts of them, other properties by their start. */
const PARTED = new Set(['displayName', 'description']);

function clauseOf(clause: string): Test {
  const match = /^"([A-Za-z]+):(.*)"$/.exec(clause.trim());
  if (match === null)
    throw unsupportedQuery('Syntax error: a clause of $search is "property:text" in quotes.');
  const [, property = '', text = ''] = match;
  if (!PARTED.has(property)) {
    return (object) =>
      String(object[property] ?? '')
        .toLowerCase()
        .startsWith(text.trim().toLowerCase());
  }
  const asked = partsOf(text);
  return (object) => {
    const parts = partsOf(String(object[property] ?? ''));
    return asked.every((word) => parts.some((part) => part.startsWith(word)));
  };
}

/** What a `$search` asks for: clauses with `AND` and `OR`, of which `AND` binds first. */
export function searchOf(search: string): Test {
  const alternatives = search.split(/\s+OR\s+/).map((part) => part.split(/\s+AND\s+/).map(clauseOf));
  return (object) => alternatives.some((clauses) => clauses.every((clause) => clause(object)));
}
