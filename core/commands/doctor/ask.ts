import { boundedFetch } from '../../ai/bounded-fetch.ts';

/** Documents of providers have some kilobytes. */
const MAX_BYTES = 1024 * 1024;
const fetchBounded = boundedFetch(MAX_BYTES);

export type Answer = {
  status: number;
  contentType: string;
  body: string;
  /** How far the clock of the server is ahead of this machine's, in milliseconds; null if it gives no time. */
  aheadMs: number | null;
};

/** Sends one request and follows no redirect. Throws if there is no answer, or one of more than a mebibyte. */
export async function ask(url: string, method: 'GET' | 'POST', signal: AbortSignal): Promise<Answer> {
  const since = Date.now();
  const response = await fetchBounded(url, { method, signal, redirect: 'manual' });
  const answered = Date.now();
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    body: await response.text(),
    aheadMs: aheadOf(response.headers.get('date'), (since + answered) / 2),
  };
}

/** The header has whole seconds, so the clock of the server is half a second later on average. */
export function aheadOf(date: string | Date | null | undefined, now: number): number | null {
  const time = date instanceof Date ? date.getTime() : Date.parse(date ?? '');
  return Number.isNaN(time) ? null : time + 500 - now;
}
