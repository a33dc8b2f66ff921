import type { ContentRead } from '../connector.ts';
import { type Calls, READ_TIMEOUT_MS, UNCOMPRESSED } from './calls.ts';
import type { Came } from './exchange.ts';
import { readContent } from './read-body.ts';
import type { Outgoing } from './source-rules.ts';

/** From the address that the source gave. None was seen that led further. */
export const MOST_HOPS = 3;

export const REDIRECTS = [301, 302, 303, 307, 308] as const;
export const isRedirect = (status: number): boolean => REDIRECTS.some((each) => each === status);
const INACCESSIBLE = [403, 404, 410, 423];
/** What an address answers whose time has passed. */
const EXPIRED = [401, ...INACCESSIBLE];

/**
 * Reads the content that a call leads to: the source gives an address, which is read without the bearer and forgotten. An
 * address that no longer works is asked for once more.
 * @param elsewhere the call that reads an address
 * @param toAddress checks an address. Throws if it is on no host of contents
 */
export function createDownload<C extends string>(
  { exchange, persist }: Calls<C>,
  elsewhere: C,
  toAddress: (address: string) => URL,
): (request: Outgoing<C>, maxBytes: number, signal: AbortSignal) => Promise<ContentRead> {
  const read = (request: Outgoing<C>, expect: number[], maxBytes: number, signal: AbortSignal) => {
    const attempt = () => exchange(request, (response) => readContent(response, maxBytes), signal);
    return persist(request.call, [...REDIRECTS, ...expect], attempt, signal);
  };
  const readAt = (address: string, maxBytes: number, signal: AbortSignal) => {
    const request: Outgoing<C> = {
      call: elsewhere,
      method: 'GET',
      url: toAddress(address),
      headers: UNCOMPRESSED,
      timeoutMs: READ_TIMEOUT_MS,
    };
    return read(request, EXPIRED, maxBytes, signal);
  };
  const readOnce = async (request: Outgoing<C>, maxBytes: number, signal: AbortSignal) => {
    let came: Came<ContentRead> = await read(request, INACCESSIBLE, maxBytes, signal);
    const refused = INACCESSIBLE.includes(came.status);
    for (let hops = 0; isRedirect(came.status) && hops < MOST_HOPS; hops++)
      came = await readAt(came.location ?? '', maxBytes, signal);
    // Too many hops are a link that leads nowhere.
    if (isRedirect(came.status)) toAddress('');
    return { content: came.body, refused };
  };

  return async (request, maxBytes, signal) => {
    const first = await readOnce(request, maxBytes, signal);
    const last =
      first.content !== undefined || first.refused ? first : await readOnce(request, maxBytes, signal);
    return last.content ?? { state: 'inaccessible' };
  };
}
