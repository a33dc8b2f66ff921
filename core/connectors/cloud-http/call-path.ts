/** Values for the placeholders of a path. They are encoded. */
export type PathValues = Readonly<Record<string, string>>;

/** Longer than any id of a source, the path of any site, and the encoded address of any file. */
export const MAX_VALUE = 4096;

const PLACEHOLDER = /\{(\w+)(\.\.\.)?\}/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const NEVER_IN_A_VALUE = /[\u0000-\u001f\u007f]/;

/**
 * The path of a shape with these values. In a shape `{name}` stands for one encoded value, `{name...}` for one or more
 * segments. Null if a value is missing or could mean another path: no part of it is taken as a separator or a dot
 * segment.
 */
export function pathOf(shape: string, values: PathValues): string | null {
  let isRefused = false;
  const path = shape.replaceAll(PLACEHOLDER, (_all, key: string, rest?: string) => {
    const value = Object.hasOwn(values, key) ? (values[key] ?? '') : '';
    const parts = rest === undefined ? [value] : value.split('/');
    if (!parts.every(isPlain)) {
      isRefused = true;
      return '';
    }
    return parts.map(encoded).join('/');
  });
  return isRefused ? null : path;
}

/** A query, with its `?`. Null if a name is none of `names`, or a value cannot be encoded. */
export function queryOf(
  names: readonly string[],
  query: Readonly<Record<string, string | number | undefined>>,
): string | null {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  if (pairs.some(([key, value]) => !names.includes(key) || !String(value).isWellFormed())) return null;
  const text = pairs.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join('&');
  return text === '' ? '' : `?${text}`;
}

const isPlain = (part: string): boolean =>
  part !== '' &&
  part !== '.' &&
  part !== '..' &&
  part.length <= MAX_VALUE &&
  part.isWellFormed() &&
  !NEVER_IN_A_VALUE.test(part);

/** Quotes and parentheses too, with which OData writes keys. */
const encoded = (part: string): string =>
  encodeURIComponent(part).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Another way in which a source writes a segment, as the plain segments that it means. */
type Spelling = (segment: string, at: number, all: readonly string[]) => string[];

/** Whether the path of a link has the shape, with these values. */
export function isPathLike(
  shape: string,
  values: PathValues,
  pathname: string,
  spelling: Spelling = (segment) => [segment],
): boolean {
  const segments = segmentsOf(pathname, spelling);
  if (segments === null) return false;
  const wanted = (segmentsOf(shape, spelling) ?? []).map(toWanted);
  const found = wanted.at(-1)?.rest ? withJoinedRest(segments, wanted.length) : segments;
  return (
    wanted.length === found.length && wanted.every((part, at) => isSegment(part, found[at] ?? '', values))
  );
}

/** Whether an address is a call with this shape at an origin, without credentials. */
export const isCallAt = (origin: string, shape: string, url: URL): boolean =>
  url.origin === origin && url.username === '' && url.password === '' && isPathLike(shape, {}, url.pathname);

type Wanted = { text: string; key: string | undefined; rest: boolean };

/** A segment of a shape: `text` as it is, or a placeholder, which `text` may follow. */
function toWanted(segment: string): Wanted {
  const [, key, rest, text = segment] = /^\{(\w+)(\.\.\.)?\}(.*)$/.exec(segment) ?? [];
  return { text, key, rest: rest !== undefined };
}

const withJoinedRest = (segments: readonly string[], length: number): string[] => [
  ...segments.slice(0, length - 1),
  segments.slice(length - 1).join('/'),
];

function isSegment({ text, key, rest }: Wanted, found: string, values: PathValues): boolean {
  if (key === undefined) return text.toLowerCase() === found.toLowerCase();
  const value = found.slice(0, found.length - text.length);
  return (
    found.endsWith(text) &&
    (rest ? value.split('/') : [value]).every(isPlain) &&
    (!Object.hasOwn(values, key) || values[key] === value)
  );
}

/** The decoded segments of a path, or null if it cannot be decoded. */
function segmentsOf(pathname: string, spelling: Spelling): string[] | null {
  try {
    return pathname.slice(1).split('/').map(decodeURIComponent).flatMap(spelling);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return null;
  }
}
