import { type Answer, badRequest } from './errors.ts';
import type { Call } from './route.ts';

const MAX_TOP = 999;
const DEFAULT_TOP = 100;

/** A page of a list: `$top`, and `$skiptoken` in the link to the next one. */
export function pageOfList(
  call: Call,
  all: readonly object[],
  context: string,
  { more = {}, path = call.path }: { more?: object; path?: string } = {},
): Answer {
  const asked = call.query.get('$top');
  if (asked !== null && !/^[1-9]\d{0,5}$/.test(asked)) {
    throw badRequest("The value of '$top' must be a positive integer.");
  }
  const top = Math.min(asked === null ? DEFAULT_TOP : Number(asked), MAX_TOP);
  const token = call.query.get('$skiptoken');
  const from = token === null ? 0 : offsetOf(token);
  const body: Record<string, unknown> = { '@odata.context': `${call.base}/$metadata#${context}`, ...more };
  if (from + top < all.length) body['@odata.nextLink'] = nextLink(call, path, from + top);
  return { status: 200, body: { ...body, value: all.slice(from, from + top) } };
}

const tokenOf = (offset: number): string => Buffer.from(`s=${offset}`).toString('base64url');

function offsetOf(token: string): number {
  const match = /^s=(\d+)$/.exec(Buffer.from(token, 'base64url').toString());
  if (match === null) throw badRequest('The skip token is malformed.');
  return Number(match[1]);
}

function nextLink({ base, query }: Call, path: string, offset: number): string {
  const kept = new URLSearchParams(query);
  kept.set('$skiptoken', tokenOf(offset));
  return `${base}${path}?${[...kept].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}
