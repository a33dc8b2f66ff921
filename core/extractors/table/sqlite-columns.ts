/**
 * What can be in a statement: a comment, a quoted name or text, a mark, or a word. Comments and white space between words
 * have no meaning.
 */
const TOKEN =
  /--[^\n]*|\/\*.*?(?:\*\/|$)|"(?<double>(?:[^"]|"")*)(?:"|$)|`(?<back>(?:[^`]|``)*)(?:`|$)|\[(?<square>[^\]]*)(?:\]|$)|'(?<single>(?:[^']|'')*)(?:'|$)|(?<word>[(),+-]|(?:(?!\/\*)[^\s"`'[(),+-])+)/gs;
const MAX_STATEMENT = 100_000;
/** What begins a rule of a table and no column. */
const RULE = /^(?:constraint|primary|unique|check|foreign)$/i;
/** What ends the type of a column. */
const TYPE_END = /^(?:constraint|primary|not|null|unique|check|default|collate|references|generated|as)$/i;
const WHOLE = /^\d+$/;
const NUMBER = /^(?:\d+\.?\d*|\.\d+)(?:e\d+)?$|^0x[\da-f]{1,8}$/i;
const CONSTANTS: ReadonlyMap<string, string> = new Map([
  ['null', ''],
  ['true', '1'],
  ['false', '0'],
]);

/** `isWord`: it is not quoted, so it can be a keyword. */
type Token = { text: string; isWord: boolean };

export type SqliteColumn = {
  name: string;
  /** Its values are the numbers of the rows, and none is stored. */
  isRowNumber: boolean;
  /** What rows hold that were stored before the column was added. Undefined if that is not a plain value. */
  initial: string | undefined;
};

/** The columns that the rows of a table hold, by the statement that made it (sqlite.org/lang_createtable.html). */
export function columnsOf(statement: string): SqliteColumn[] {
  const parts = definitionsOf(tokensOf(statement.slice(0, MAX_STATEMENT)));
  const isRule = ([first]: readonly Token[]) => first?.isWord === true && RULE.test(first.text);
  const key = parts
    .filter(isRule)
    .map(keyOfRule)
    .find((name) => name !== null);
  return parts.flatMap((part) => {
    const [{ text: name } = { text: '' }, ...rest] = part;
    if (isRule(part) || isComputed(rest)) return [];
    const isKey = isOwnKey(rest) || name.toLowerCase() === key?.toLowerCase();
    return [{ name, isRowNumber: isKey && isInteger(rest), initial: initialOf(rest) }];
  });
}

const tokensOf = (statement: string): Token[] =>
  [...statement.matchAll(TOKEN)].flatMap(({ groups: { double, back, square, single, word } = {} }) => {
    const quoted =
      double?.replaceAll('""', '"') ?? back?.replaceAll('``', '`') ?? square ?? single?.replaceAll("''", "'");
    const text = word ?? quoted;
    return text === undefined ? [] : [{ text, isWord: word !== undefined }];
  });

const is = (token: Token | undefined, text: string): boolean =>
  token?.isWord === true && token.text.toLowerCase() === text;

/** The definitions in the outer brackets of the statement: columns and rules. */
function definitionsOf(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (is(token, ')') && --depth === 0) break;
    if (depth === 1 && is(token, ',')) parts.push([]);
    else if (depth > 0) parts.at(-1)?.push(token);
    if (is(token, '(')) depth++;
  }
  return parts.filter((part) => part.length > 0);
}

/** Where keywords follow each other outside of brackets. -1 if they do not. */
function indexOf(tokens: readonly Token[], ...keywords: readonly string[]): number {
  let depth = 0;
  return tokens.findIndex((token, at) => {
    if (is(token, '(')) depth++;
    else if (is(token, ')')) depth--;
    return depth === 0 && keywords.every((keyword, next) => is(tokens[at + next], keyword));
  });
}

const isInteger = ([type, next]: readonly Token[]): boolean =>
  type?.text.toLowerCase() === 'integer' && (next === undefined || (next.isWord && TYPE_END.test(next.text)));

/** One in descending order is stored as any other column. */
function isOwnKey(rest: readonly Token[]): boolean {
  const at = indexOf(rest, 'primary', 'key');
  return at >= 0 && !is(rest[at + 2], 'desc');
}

/** The name of the only column of a primary key. Null for any other rule. */
function keyOfRule(rule: readonly Token[]): string | null {
  const at = indexOf(rule, 'primary', 'key');
  if (at < 0) return null;
  const end = rule.findIndex((token, index) => index > at && is(token, ')'));
  const columns = rule.slice(at + 3, end);
  return columns.some((token) => is(token, ',')) ? null : (columns[0]?.text ?? null);
}

/** Whether the values are computed when they are read, and not stored. */
const isComputed = (rest: readonly Token[]): boolean =>
  indexOf(rest, 'as', '(') >= 0 && indexOf(rest, 'stored') < 0;

function initialOf(rest: readonly Token[]): string | undefined {
  const at = indexOf(rest, 'default');
  if (at < 0) return '';
  const isInBrackets = is(rest[at + 1], '(');
  let value = rest.slice(isInBrackets ? at + 2 : at + 1);
  const sign = is(value[0], '-') ? '-' : '';
  if (sign !== '' || is(value[0], '+')) value = value.slice(1);
  const [first, next] = value;
  return first === undefined || (isInBrackets && !is(next, ')')) ? undefined : plainValue(first, sign);
}

function plainValue({ text, isWord }: Token, sign: string): string | undefined {
  if (!isWord) return text;
  if (WHOLE.test(text)) return `${sign}${BigInt(text)}`;
  if (NUMBER.test(text)) return `${sign}${Number(text)}`;
  return CONSTANTS.get(text.toLowerCase());
}
