import { ConnectorError } from '../connector.ts';
import { ALLOWED_CALLS, type AllowedCall } from './allowed-calls.ts';

/** Values for the placeholders of a path. The client encodes them. */
export type PathValues = Readonly<Record<string, string>>;

/** The names of query parameters that may be set. Links that Graph gave have others, and are followed as they are. */
const QUERY_NAMES = [
  '$select',
  '$top',
  '$expand',
  '$filter',
  '$search',
  '$orderby',
  '$count',
  'token',
  'includeHiddenFolders',
] as const;
export type CallQuery = Readonly<Partial<Record<(typeof QUERY_NAMES)[number], string | number>>>;

/** Longer than any id of Graph, the path of any site, and the encoded address of any file. */
export const MAX_VALUE = 4096;
const VERSION = 'v1.0';

const PLACEHOLDER = /\{(\w+)(\.\.\.)?\}/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const NEVER_IN_A_VALUE = /[\u0000-\u001f\u007f]/;

/**
 * The path and query of a call. Throws `ConnectorError` if a value is missing or could mean another path: no part of it
 * is taken as a separator, a dot segment or an OData key.
 */
export function callPath(name: AllowedCall, values: PathValues, query: CallQuery = {}): string {
  const refused = () => new ConnectorError('permanent', `graph_${name}_value_refused`);
  const path = ALLOWED_CALLS[name].path.replaceAll(PLACEHOLDER, (_all, key: string, rest?: string) => {
    const value = Object.hasOwn(values, key) ? (values[key] ?? '') : '';
    const parts = rest === undefined ? [value] : value.split('/');
    if (!parts.every(isPlain)) throw refused();
    return parts.map(encoded).join('/');
  });
  const pairs = Object.entries(query).map(([key, value]) => {
    if (!(QUERY_NAMES as readonly string[]).includes(key) || !String(value).isWellFormed()) throw refused();
    return `${key}=${encodeURIComponent(value)}`;
  });
  return `/${VERSION}/${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
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

/**
 * Whether the path of a link is one of the call, with these values. Graph writes `drives('id')` for `drives/id`,
 * `delta(token='…')` for `delta`, and names of functions with their namespace.
 */
export function isPathOf(name: AllowedCall, values: PathValues, pathname: string): boolean {
  const segments = segmentsOf(pathname);
  if (segments === null) return false;
  const { path, links = [] } = ALLOWED_CALLS[name];
  return [path, ...links].some((shape) => {
    const wanted = (segmentsOf(`/${VERSION}/${shape}`) ?? []).map(toWanted);
    const found = wanted.at(-1)?.rest ? withJoinedRest(segments, wanted.length) : segments;
    return (
      wanted.length === found.length && wanted.every((part, at) => isSegment(part, found[at] ?? '', values))
    );
  });
}

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
function segmentsOf(pathname: string): string[] | null {
  try {
    return pathname.slice(1).split('/').map(decodeURIComponent).flatMap(withoutOData);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return null;
  }
}

/** Parameters follow functions alone, which have nothing behind them; anywhere else they would be another path. */
const FUNCTION = /^((?:[\w.]+\.)?(?:delta|getAllSites))\([^']*(?:'[^']*')?\)$/;
const WITH_KEY = /^(\w+)\('(.*)'\)$/s;

function withoutOData(segment: string, at: number, all: readonly string[]): string[] {
  const key = WITH_KEY.exec(segment);
  if (key !== null) return [key[1] ?? '', (key[2] ?? '').replaceAll("''", "'")];
  const name = (at === all.length - 1 ? FUNCTION.exec(segment)?.[1] : undefined) ?? segment;
  return [name.replace(/^(?:microsoft\.graph|oneDrive)\./, '')];
}
