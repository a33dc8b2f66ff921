import type { ContentRead } from '../connector.ts';
import { type Calls, READ_TIMEOUT_MS, UNCOMPRESSED } from './calls.ts';
import type { Came } from './exchange.ts';
import { readContent } from './read-body.ts';
import type { Outgoing } from './source-rules.ts';

/** From the address that the source gave. None was seen that led further. */
const MOST_HOPS = 3;

const REDIRECTS = [301, 302, 303, 307, 308];
const isRedirect = (status: number): boolean => REDIRECTS.includes(status);
const INACCESSIBLE = [403, 404, 410, 423];
/** What an address answers whose time has passed. */
const EXPIRED = [401, ...INACCESSIBLE];

/** The content, or the status and the codes with which the source refuses it. */
export type Downloaded = ContentRead | { state: 'refused'; status: number; codes: readonly string[] };

type DownloadParts<C extends string> = {
  /** The call that reads an address. */
  elsewhere: C;
  /** Checks an address. Throws if it is on no host of contents. */
  toAddress: (address: string) => URL;
  /** Asks until the content is there, if the source has it later than the file. */
  whenReady?: (ask: () => Promise<Came<ContentRead>>, signal: AbortSignal) => Promise<Came<ContentRead>>;
};

/**
 * Reads the content that a call is answered with, or leads to: the source gives an address then, which is read without the
 * bearer and forgotten. An address that no longer works is asked for once more.
 */
export function createDownload<C extends string>(
  { exchange, persist }: Calls<C>,
  { elsewhere, toAddress, whenReady = (ask) => ask() }: DownloadParts<C>,
): (request: Outgoing<C>, maxBytes: number, signal: AbortSignal) => Promise<Downloaded> {
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
  /** Undefined if the address no longer works. */
  const readOnce = async (
    request: Outgoing<C>,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Downloaded | undefined> => {
    let came = await whenReady(() => read(request, INACCESSIBLE, maxBytes, signal), signal);
    if (INACCESSIBLE.includes(came.status))
      return { state: 'refused', status: came.status, codes: came.codes };
    for (let hops = 0; isRedirect(came.status) && hops < MOST_HOPS; hops++)
      came = await readAt(came.location ?? '', maxBytes, signal);
    // Too many hops are a link that leads nowhere.
    if (isRedirect(came.status)) toAddress('');
    return came.body;
  };

  return async (request, maxBytes, signal) =>
    (await readOnce(request, maxBytes, signal)) ??
    (await readOnce(request, maxBytes, signal)) ?? { state: 'inaccessible' };
}
