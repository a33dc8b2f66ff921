import type { ContentRead } from '../connector.ts';
import { ALLOWED_CALLS } from './allowed-calls.ts';
import { callPath, type PathValues } from './call-path.ts';
import { contentAddress } from './follow-link.ts';
import type { GraphCloud } from './graph-cloud.ts';
import type { Persist } from './persist.ts';
import { readAtMost, Unread } from './read-body.ts';
import type { Came, Exchange } from './transport.ts';

const ASK_TIMEOUT_MS = 60_000;
/** For the largest file that is read, over a slow line. */
export const READ_TIMEOUT_MS = 300_000;
/** From the address that Graph gave. None was seen that led further. */
const MOST_HOPS = 3;

const REDIRECTS = [301, 302, 303, 307, 308];
const INACCESSIBLE = [403, 404, 410, 423];
/** What an address answers whose time has passed. */
const EXPIRED = [401, ...INACCESSIBLE];

/**
 * Reads the content of an item: Graph gives an address, which is read without the bearer and forgotten. An address that
 * no longer works is asked for once more.
 */
export function createDownload(
  cloud: GraphCloud,
  exchange: Exchange,
  persist: Persist,
): (values: PathValues, maxBytes: number, signal: AbortSignal) => Promise<ContentRead> {
  const ask = (values: PathValues, maxBytes: number, signal: AbortSignal) => {
    const request = {
      call: 'content',
      method: ALLOWED_CALLS.content.method,
      url: new URL(callPath('content', values), cloud.graphOrigin),
      timeoutMs: ASK_TIMEOUT_MS,
    } as const;
    const attempt = () => exchange(request, (response) => readContent(response, maxBytes), signal);
    return persist('content', [...REDIRECTS, ...INACCESSIBLE], attempt, signal);
  };
  const readAt = (address: string, maxBytes: number, signal: AbortSignal) => {
    const request = {
      call: 'download',
      method: 'GET',
      url: contentAddress(cloud, 'download', address),
      // Compressed bytes would be counted as others than those that are read.
      headers: { 'Accept-Encoding': 'identity' },
      timeoutMs: READ_TIMEOUT_MS,
    } as const;
    const attempt = () => exchange(request, (response) => readContent(response, maxBytes), signal);
    return persist('download', [...REDIRECTS, ...EXPIRED], attempt, signal);
  };
  const readOnce = async (values: PathValues, maxBytes: number, signal: AbortSignal) => {
    let came: Came<ContentRead> = await ask(values, maxBytes, signal);
    const refused = INACCESSIBLE.includes(came.status);
    for (let hops = 0; REDIRECTS.includes(came.status) && hops < MOST_HOPS; hops++)
      came = await readAt(came.location ?? '', maxBytes, signal);
    // Too many hops are a link that leads nowhere.
    if (REDIRECTS.includes(came.status)) contentAddress(cloud, 'download', '');
    return { content: came.body, refused };
  };

  return async (values, maxBytes, signal) => {
    const first = await readOnce(values, maxBytes, signal);
    const read =
      first.content !== undefined || first.refused ? first : await readOnce(values, maxBytes, signal);
    return read.content ?? { state: 'inaccessible' };
  };
}

/** The bytes of an answer. `too_large` past `maxBytes`, which ends the connection. */
export async function readContent(response: Response, maxBytes: number): Promise<ContentRead> {
  const announced = Number(response.headers.get('content-length') ?? 0);
  if (announced > maxBytes) {
    await response.body?.cancel();
    return { state: 'too_large', sizeBytes: announced };
  }
  try {
    return { state: 'available', bytes: await readAtMost(response, maxBytes) };
  } catch (error) {
    if (error instanceof Unread) return { state: 'too_large', sizeBytes: maxBytes + 1 };
    throw error;
  }
}
