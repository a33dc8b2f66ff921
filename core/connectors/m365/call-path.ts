import { isPathLike, type PathValues, pathOf, queryOf } from '../cloud-http/call-path.ts';
import { ConnectorError } from '../connector.ts';
import { ALLOWED_CALLS, type AllowedCall } from './allowed-calls.ts';

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

const VERSION = 'v1.0';

/**
 * The path and query of a call. Throws `ConnectorError` if a value is missing or could mean another path: no part of it
 * is taken as a separator, a dot segment or an OData key.
 */
export function callPath(name: AllowedCall, values: PathValues, query: CallQuery = {}): string {
  const path = pathOf(ALLOWED_CALLS[name].path, values);
  const asked = queryOf(QUERY_NAMES, query);
  if (path === null || asked === null) throw new ConnectorError('permanent', `graph_${name}_value_refused`);
  return `/${VERSION}/${path}${asked}`;
}

/**
 * Whether the path of a link is one of the call, with these values. Graph writes `drives('id')` for `drives/id`,
 * `delta(token='…')` for `delta`, and names of functions with their namespace.
 */
export function isPathOf(name: AllowedCall, values: PathValues, pathname: string): boolean {
  const { path, links = [] } = ALLOWED_CALLS[name];
  return [path, ...links].some((shape) => isPathLike(`/${VERSION}/${shape}`, values, pathname, withoutOData));
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
