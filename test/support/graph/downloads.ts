import { type Answer, GraphError } from './errors.ts';
import { tokenOf } from './ids.ts';
import type { Drive, Item } from './state.ts';

/** Documented (`driveitem-get-content`): pre-authenticated, valid for a few minutes, without `Authorization`. */
const VALID_MS = 5 * 60_000;
/** A host of documents answers a URL that has passed, or that was tampered with, so. */
const refused = (): GraphError => new GraphError(401, 'unauthenticated', 'The download URL is not valid.');

export type Downloads = ReturnType<typeof downloads>;

/** The pre-authenticated URLs of a tenant's documents. */
export function downloads(hostOf: () => string, clock: () => number) {
  const handed = new Map<string, { drive: Drive; item: Item; until: number }>();
  return {
    urlOf(drive: Drive, item: Item): string {
      const until = clock() + VALID_MS;
      const tempauth = `v1.${tokenOf(`${item.id}/${item.contentRevision}/${until}`)}`;
      handed.set(tempauth, { drive, item, until });
      const path = `${new URL(drive.webUrl).pathname}/_layouts/15/download.aspx`;
      return `${hostOf()}${path}?UniqueId=${item.guid}&Translate=false&tempauth=${tempauth}&ApiVersion=2.0`;
    },
    answer(query: URLSearchParams, headers: Record<string, string>): Answer {
      const tempauth = query.get('tempauth') ?? '';
      const found = handed.get(tempauth);
      if (found === undefined || found.until <= clock()) {
        handed.delete(tempauth);
        throw refused();
      }
      const { drive, item } = found;
      if (drive.items.get(item.id)?.deleted !== false || item.content === null) {
        throw new GraphError(404, 'itemNotFound', 'The file was removed.');
      }
      if (item.guid !== query.get('UniqueId')) throw refused();
      return ranged(item.content.bytes(), headers.range);
    },
  };
}

/** Documented: `Range` is for this URL, and may be ignored. */
function ranged(bytes: Uint8Array, range: string | undefined): Answer {
  const headers = { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes' };
  const match = /^bytes=(\d+)-(\d*)$/.exec(range ?? '');
  if (match === null) return { status: 200, headers, body: bytes };
  const from = Number(match[1]);
  const to = match[2] === '' ? bytes.length - 1 : Math.min(Number(match[2]), bytes.length - 1);
  if (from > to) throw new GraphError(416, 'invalidRange', 'The range is not in the file.');
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${from}-${to}/${bytes.length}` },
    body: bytes.subarray(from, to + 1),
  };
}
