import type { BoxCall } from '../../kernel/vocabulary.ts';
import type { PathValues } from '../cloud-http/call-path.ts';
import {
  type Answer,
  type AnswerOptions,
  CALL_TIMEOUT_MS,
  type CallsParts,
  createCalls,
  READ_TIMEOUT_MS,
  UNCOMPRESSED,
} from '../cloud-http/calls.ts';
import { createDownload } from '../cloud-http/download.ts';
import type { Came } from '../cloud-http/exchange.ts';
import { waitWhile } from '../cloud-http/persist.ts';
import { readJson } from '../cloud-http/read-body.ts';
import { ConnectorError, type ContentRead } from '../connector.ts';
import {
  type AllowedCall,
  type BoxCloud,
  type BoxQuery,
  boxRules,
  callUrl,
  contentAddress,
} from './box-calls.ts';

/**
 * Calls Box. Nothing but the calls of `box-calls.ts` can leave, and no address is followed unchecked. Throws
 * `ConnectorError`s alone, with `box_<call>_<status or reason>` as the diagnostic.
 */
export type BoxClient = {
  get<T, E extends number = never>(
    call: AllowedCall,
    values: PathValues,
    options: AnswerOptions<T, E> & { query?: BoxQuery },
  ): Promise<Answer<T, E>>;
  /** The content of a file: where the 302 of Box leads, without the bearer. */
  content(fileId: string, maxBytes: number, signal: AbortSignal): Promise<ContentRead>;
};

export type BoxClientParts = CallsParts<BoxCall> & { cloud: BoxCloud };

/** How often a file that was just uploaded is asked for, and how long is waited for it. */
const READY_TRIES = 3;
const LONGEST_WAIT_MS = 10_000;
const UNNAMED_WAIT_MS = 1_000;

export function createBoxClient({ cloud, ...parts }: BoxClientParts): BoxClient {
  const calls = createCalls(boxRules(cloud), parts);
  const { wait = waitWhile } = parts;
  /** Box answers 202 while a file is not ready. */
  const whenReady = async (ask: () => Promise<Came<ContentRead>>, signal: AbortSignal) => {
    for (let tried = 1; ; tried++) {
      const came = await ask();
      if (came.status !== 202) return came;
      const afterMs = came.retryAfterMs ?? UNNAMED_WAIT_MS;
      if (tried === READY_TRIES || afterMs > LONGEST_WAIT_MS)
        throw new ConnectorError('throttled', 'box_content_not_ready', came.retryAfterMs);
      await wait(afterMs, signal);
    }
  };
  const download = createDownload<BoxCall>(calls, {
    elsewhere: 'download',
    toAddress: (address) => contentAddress(cloud, address),
    whenReady,
  });

  return {
    get: (call, values, { query = {}, ...options }) => {
      const request = {
        call,
        method: 'GET',
        url: callUrl(cloud, call, values, query),
        headers: { Accept: 'application/json' },
        timeoutMs: CALL_TIMEOUT_MS,
      } as const;
      const attempt = () => calls.exchange(request, readExactJson, options.signal);
      return calls.answer(call, attempt, options);
    },
    content: async (fileId, maxBytes, signal) => {
      const url = callUrl(cloud, 'content', { fileId }, {});
      const request = { call: 'content', method: 'GET', url, headers: UNCOMPRESSED } as const;
      const content = await download({ ...request, timeoutMs: READ_TIMEOUT_MS }, maxBytes, signal);
      return content.state === 'refused' ? inaccessible(content.status, content.codes) : content;
    },
  };
}

/**
 * A rule of the enterprise refuses a content by `forbidden_by_policy`. One about who may download names its kind; one
 * without is that of harmful files.
 */
function inaccessible(status: number, codes: readonly string[]): ContentRead {
  if (status !== 403) return { state: 'inaccessible' };
  const [code, policy] = codes;
  if (code === 'forbidden_by_policy' && policy === undefined)
    return { state: 'inaccessible', reason: 'malware' };
  return { state: 'inaccessible', reason: 'no_download' };
}

/** Positions of events are larger than a number holds, so they become the texts that they are written as. */
const readExactJson = (response: Response): Promise<unknown> => readJson(response, exact);
const exact = (key: string, value: unknown, context?: { source?: string }): unknown =>
  key === 'next_stream_position' && typeof value === 'number' ? (context?.source ?? String(value)) : value;

/** All pages of a list that goes on by markers. Null if there are more than `maxPages`, or a marker comes round. */
export async function markedPages<P extends { entries: unknown[]; next_marker?: string | null | undefined }>(
  page: (marker: string | null) => Promise<P | null>,
  maxPages: number,
): Promise<P['entries'] | null> {
  const entries: P['entries'] = [];
  let marker: string | null = null;
  for (let at = 0; at < maxPages; at++) {
    const answered: P | null = await page(marker);
    if (answered === null) return null;
    entries.push(...answered.entries);
    const next = answered.next_marker || null;
    if (next === null) return entries;
    if (next === marker) return null;
    marker = next;
  }
  return null;
}
